/** @jsxImportSource preact */
import type { Actor, Reader } from '../record/actor.ts';
import type { ListName } from '../views/table.ts';
import { Act } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Title } from './page-parts.tsx';
import { saying } from './said.ts';
import { form, type Page, page, type Shown, type ShownPage, type Visit } from './visit.ts';

/** The address of a record's page. */
export type RecordPath = `/${ListName | 'tasks'}/:id`;

/** How the records of a list are deleted and come back. */
export type Deletion = {
  /** Its address, and the word of its permissions. */
  list: ListName;
  remove(actor: Actor, id: string): Promise<unknown>;
  /** What a deleted one is called, `Lead L-0041`, and what is gone with it. Throws `Refusal` not_found. */
  readDeleted(reader: Reader, id: string): Promise<{ name: string; words: string }>;
  /** Brings it back. Says whether it has lost its external id, if it can. */
  restore(actor: Actor, id: string): Promise<{ hasLostExternalId: boolean } | undefined>;
};

/** Deletes a record, shows that it is gone, and brings it back. `record` shows what is refused. */
export const deletePages = (
  { list, remove, readDeleted, restore }: Deletion,
  record: ShownPage<RecordPath>,
): Page[] => {
  const path: RecordPath = `/${list}/:id`;
  const [read, write] = [`${list}:read`, `${list}:write`] as const;

  const end = async ({ actor, parameters: { id } }: Visit<RecordPath>) => {
    await remove(actor, id);
    const { name } = await readDeleted(actor, id);
    const undo = { action: `/${list}/${id}/restore`, fields: [] };
    return saying(`/${list}/${id}/deleted`, `${name} is deleted.`, undo);
  };

  const bringBack = async ({ actor, parameters: { id } }: Visit<RecordPath>) => {
    const left = await restore(actor, id);
    return left ? afterReturn(`/${list}/${id}`, left) : `/${list}/${id}`;
  };

  const showDeleted = async ({ actor, parameters: { id } }: Visit<RecordPath>): Promise<Shown> => {
    const { name, words } = await readDeleted(actor, id);
    const title = `${name} is deleted`;
    return {
      title,
      place: `/${list}`,
      main: (
        <>
          <Title title={title} />
          <p>{words}</p>
          <div class="row after">
            <Act action={`/${list}/${id}/restore`}>Restore</Act>
            <a class="button quiet" href={`/${list}`}>
              Back to the {list}
            </a>
          </div>
        </>
      ),
    };
  };

  const gone = page(`${path}/deleted` as const, { allOf: [read, write] }, showDeleted);
  return [
    form(`${path}/delete` as const, write, end, record),
    gone,
    form(`${path}/restore` as const, write, bringBack, gone, { said: 'Restored: {title}.' }),
  ];
};

const parameter = 'without';

/** The page that is shown after a record came back: it says if the record has lost its external id. */
export const afterReturn = (path: string, { hasLostExternalId }: { hasLostExternalId: boolean }) =>
  hasLostExternalId ? `${path}${path.includes('?') ? '&' : '?'}${parameter}=externalId` : path;

/** What did not come back with the record. */
export const LeftOut = () =>
  useFrame().visit.query.has(parameter) ? (
    <p class="banner warn">
      The record was restored without its external id, because another record has that id now.
    </p>
  ) : null;
