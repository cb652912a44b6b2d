/** @jsxImportSource preact */
import type { ListName } from '../views/table.ts';
import { removeView, saveView, type View } from '../views/view.ts';
import { Check } from './choices.tsx';
import { Dialog } from './dialog.tsx';
import type { Fields } from './fields.ts';
import { Act, Form, Text } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { addressWith } from './list.tsx';
import { countedIn } from './list-query.ts';
import { saying } from './said.ts';
import type { GoTo, Visit } from './visit.ts';

/** Keeps a list's filters and columns under a name. */
export const keepView =
  (list: ListName) =>
  async ({ actor, query }: Visit, fields: Fields): Promise<GoTo> => {
    const shown = new URLSearchParams(query);
    for (const name of ['do', 'page', countedIn]) shown.delete(name);
    const name = fields.text('name') ?? '';
    await saveView(actor, {
      list,
      name,
      query: shown.toString(),
      isShared: fields.has('isShared'),
    });
    return saying(addressWith(`/${list}`, query, {}), `View saved: ${name}.`);
  };

const fieldsOf = ({ name, isShared }: Pick<View, 'name' | 'isShared'>): [string, string][] => [
  ['name', name],
  ...(isShared ? [['isShared', 'on'] as [string, string]] : []),
];

/** Removes a saved view. Undo saves it again. */
export const dropView =
  (list: ListName) =>
  async ({ actor, query, parameters }: Visit<`/views/:id/remove`>): Promise<GoTo> => {
    const removed = await removeView(actor, parameters.id);
    const undo = removed && {
      action: `/${list}/views?${removed.query}`,
      fields: fieldsOf(removed),
    };
    const words = removed ? `View removed: ${removed.name}.` : 'View removed.';
    return saying(addressWith(`/${list}`, query, {}), words, undo);
  };

type ViewsProps = { list: ListName; views: View[]; memberId: string; isOwner: boolean };

export const Views = ({ list, views, memberId, isOwner }: ViewsProps) => {
  const { visit } = useFrame();
  const path = `/${list}`;
  return (
    <Dialog id="views" title="Views" class="slim">
      {views.length > 0 && (
        <ul class="rows">
          {views.map((view, at) => (
            <li>
              <div class="grow">
                <a class="name" href={`${path}?${view.query}`} autofocus={at === 0}>
                  {view.name}
                </a>
                <div class="sub">{view.isShared ? "The firm's" : 'Mine'}</div>
              </div>
              {(view.memberId === memberId || isOwner) && (
                <Act
                  action={`${path}/views/${view.id}/remove?${visit.query}`}
                  class="button quiet small icon-only"
                  label={`Remove the view ${view.name}`}
                >
                  <Icon name="trash-2" />
                </Act>
              )}
            </li>
          ))}
        </ul>
      )}
      <Form action={`${path}/views?${visit.query}`} save="Save this view">
        <Text name="name" label="Name" required />
        <Check name="isShared" label="For the whole firm" />
      </Form>
    </Dialog>
  );
};
