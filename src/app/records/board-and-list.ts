/** A board of records and the list of the same records, at one address. */
import { invalid } from '../../base/refusal.ts';
import type { Reader } from '../../record/actor.ts';
import { type ActOn, readAct } from '../board-dialogs.tsx';
import { changeSeveral, isForSeveral, type Several } from '../bulk.tsx';
import type { Fields } from '../fields.ts';
import { addressWith } from '../list.tsx';
import {
  form,
  type GoTo,
  type Page,
  page,
  type Shown,
  type ShownPage,
  type Visit,
} from '../visit.ts';

type Show = (visit: Visit) => Promise<Shown>;

type BoardAndList<Kind extends string> = {
  list: 'leads' | 'matters';
  showBoard: Show;
  showList: Show;
  listForms(again: ShownPage): Page[];
  /** What can be done with several of the list. */
  several: Several;
  /** What can be done with one card, or one row. */
  kinds: readonly Kind[];
  /** Does that; `again` is the address of the same page. */
  change(visit: Visit, act: ActOn<Kind>, fields: Fields, again: string): Promise<GoTo>;
  /** What its form would change, as it is now. */
  now(reader: Reader, act: ActOn<Kind>): Promise<Record<string, string>>;
};

/** The pages of a board and its list, with their forms. */
export const boardAndList = <Kind extends string>(of: BoardAndList<Kind>): Page[] => {
  const { list, showBoard, showList, kinds } = of;
  const path = `/${list}`;
  const actOf = (fields: Fields) => readAct(fields.raw('do'), kinds);

  /** The board, or the list if the address asks for it or for something that no board shows. */
  const show: Show = (visit) => {
    const { query } = visit;
    const isBoard = query.get('view') !== 'list' && (query.get('status') ?? 'ACTIVE') === 'ACTIVE';
    return isBoard ? showBoard(visit) : showList(visit);
  };

  /** After a change they show the same page again. */
  const change = (visit: Visit, fields: Fields): Promise<GoTo> => {
    const again = addressWith(path, visit.query, {});
    if (isForSeveral(fields)) return changeSeveral(visit, again, fields, of.several);
    const act = actOf(fields);
    if (!act) throw invalid('The form did not say what to do. Reload the page.');
    return of.change(visit, act, fields, again);
  };

  const now = async (reader: Reader, _: Visit, fields: Fields) => {
    const act = actOf(fields);
    return act ? of.now(reader, act) : {};
  };

  const bothPage = page(path, `${list}:read`, show);
  // What is refused on the list is shown on the list, whatever its address asks for.
  const listPage = page(path, `${list}:read`, showList);
  return [
    bothPage,
    form(path, `${list}:write`, change, bothPage, { guard: now }),
    ...of.listForms(listPage),
  ];
};
