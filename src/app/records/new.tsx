/** @jsxImportSource preact */
/** The page on which a new record is made. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { capitalised } from '../../base/wording.ts';
import type { ListName } from '../../views/table.ts';
import type { Fields } from '../fields.ts';
import { Form } from '../form.tsx';
import { Title } from '../list.tsx';
import { form, type GoTo, type Policy, page, type Shown, type Visit } from '../visit.ts';

type Made = { list: ListName; noun: string };

type New = Made & {
  /** What stands below the title: a `NewForm`. */
  show(visit: Visit): Promise<ComponentChild>;
  /** Makes it, and says where it is. */
  make(visit: Visit, fields: Fields): Promise<GoTo>;
} & Pick<Policy<Visit>, 'also' | 'said'>;

/** The page of a new record, and its form. Sent again unchanged, it makes nothing more. */
export const newPages = ({ list, noun, show, make, ...policy }: New) => {
  const path = `/${list}/new` as const;
  const title = `New ${noun}`;
  const showNew = async (visit: Visit): Promise<Shown> => ({
    title,
    work: 'form',
    main: (
      <div class="prose">
        <Title title={title} />
        {await show(visit)}
      </div>
    ),
  });
  const shown = page(path, `${list}:write`, showNew);
  const said = `${capitalised(noun)} created: {title}.`;
  return [
    shown,
    form(path, `${list}:write`, make, shown, { once: true, said, ...policy }),
  ] as const;
};

type NewFormProps = Made & { save?: ComponentChildren; children: ComponentChildren };

/** The form of a new record. */
export const NewForm = ({ list, noun, save = `Create ${noun}`, children }: NewFormProps) => (
  <Form action={`/${list}/new`} save={save} cancel={`/${list}`} draft={`${noun}:new`} makes={noun}>
    {children}
  </Form>
);
