/** @jsxImportSource preact */
/** The page on which a new record is made, and how a record's values are edited on its page, each in place. */
import type { ComponentChild } from 'preact';
import { capitalised } from '../../base/wording.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import type { CustomFieldHolder } from '../../custom-fields/table.ts';
import type { Actor, Reader } from '../../record/actor.ts';
import type { ListName } from '../../views/table.ts';
import { customFields } from '../custom-fields.tsx';
import type { RecordPath } from '../deleted-record.tsx';
import { changedOnly, type Fields } from '../fields.ts';
import { Form, type FormProps } from '../form.tsx';
import { Title } from '../page-parts.tsx';
import {
  type Admission,
  form,
  type GoTo,
  type Policy,
  page,
  type Shown,
  type ShownPage,
  type Visit,
} from '../visit.ts';
import { type About, changeFrom, type FieldsOf, textsOf } from './field.tsx';

type Made = { list: ListName; noun: string };

type New = Made & {
  /** What stands below the title: a `NewForm`. */
  show(visit: Visit): Promise<ComponentChild>;
  /** Makes it, and says where it is. */
  make(visit: Visit, fields: Fields): Promise<GoTo>;
} & Pick<Policy<Visit>, 'also' | 'said'>;

/** The page of a new record, with its form. */
export const shownNew = (noun: string, form: ComponentChild): Shown => {
  const title = `New ${noun}`;
  return {
    title,
    work: 'form',
    main: (
      <div class="prose">
        <Title title={title} />
        {form}
      </div>
    ),
  };
};

/** The page of a new record, and its form. Sent again unchanged, it makes nothing more. */
export const newPages = ({ list, noun, show, make, ...policy }: New) => {
  const path = `/${list}/new` as const;
  const showNew = async (visit: Visit) => shownNew(noun, await show(visit));
  const shown = page(path, `${list}:write`, showNew);
  const said = `${capitalised(noun)} created: {title}.`;
  return [
    shown,
    form(path, `${list}:write`, make, shown, { once: true, said, ...policy }),
  ] as const;
};

type NewFormProps = Made & Pick<FormProps, 'insteadOf' | 'children' | 'save'>;

/** The form of a new record. */
export const NewForm = ({ list, noun, save = `Create ${noun}`, ...props }: NewFormProps) => (
  <Form
    {...props}
    action={`/${list}/new`}
    save={save}
    cancel={`/${list}`}
    draft={`${noun}:new`}
    makes={noun}
  />
);

type Edited<Of extends About> = {
  fields: FieldsOf<Of>;
  /** Whose custom fields it has, if any. */
  holder?: CustomFieldHolder;
  read(reader: Reader, id: string): Promise<Of['record']>;
  /** Makes the change that was sent, of which nothing is checked yet. `fields` is the whole form. */
  change(actor: Actor, id: string, sent: Partial<Of['body']>, fields: Fields): Promise<unknown>;
};

/** What a record's values are `now`, as its forms send them, and how a form changes them. */
export const editOf = <Of extends About>(of: Edited<Of>) => {
  const all = async (reader: Reader): Promise<FieldsOf<Of>> => ({
    ...of.fields,
    ...customFields<Of>(of.holder ? await customFieldsOn(reader, of.holder) : []),
  });
  return {
    now: async (reader: Reader, id: string) =>
      textsOf(...(await Promise.all([all(reader), of.read(reader, id)]))),
    change: async (actor: Actor, id: string, fields: Fields) =>
      of.change(actor, id, changeFrom(await all(actor), changedOnly(fields)), fields),
  };
};

/** The form that edits a record on its page, `record`. */
export const editForm = (
  record: ShownPage<RecordPath>,
  write: Exclude<Admission, 'open'>,
  { now, change }: ReturnType<typeof editOf>,
  policy: Pick<Policy<Visit<RecordPath>>, 'also' | 'said'> = {},
) => {
  const edit = async ({ actor, path, parameters }: Visit<RecordPath>, fields: Fields) => {
    await change(actor, parameters.id, fields);
    return path;
  };
  const guard = (reader: Reader, { parameters }: Visit<RecordPath>) => now(reader, parameters.id);
  return form(record.path, write, edit, record, { guard, said: 'Changed: {title}.', ...policy });
};
