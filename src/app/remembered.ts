import { type ComponentType, type FunctionComponent, h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { remembering } from '../base/remembering.ts';
import {
  type Frame,
  InForm,
  InFrame,
  type RowFrame,
  rowFrameAt,
  useForm,
  useFrame,
} from './frame.tsx';
import { flat, markup } from './markup.ts';
import type { OpenVisit } from './visit.ts';

/** How much is remembered, in characters: the parts of some hundred lists. */
const max = 8_000_000;
const known = remembering<string>(max, (name, html) => name.length + html.length);

/** What has a longer name, such as a record with a text of a megabyte, would push out all the others. */
const longestName = 100_000;

const htmlOf = (name: string, make: () => string) =>
  name.length > longestName ? make() : known(name, () => flat(make()));

let parts = 0;

/** Data that a name can say in full: no function, no map, no element. */
type Plain = string | number | boolean | null | undefined | Date | readonly Plain[] | PlainFields;
type PlainFields = { readonly [name: string]: Plain };

/**
 * A part of a page that depends on nothing but its properties, which are plain data: its HTML is put
 * together once for each of them. So a change shows at once, and nobody gets what is another's. It
 * cannot use the visit or the member, and must not contain a form with `once`; it may stand in one.
 */
export const remembered = <Props extends PlainFields>(Part: ComponentType<Props>) =>
  rememberedFor(Part, () => nowhere);

/**
 * The same for a part that also depends on the address of the page, on the day, and on how days are written. A refused
 * form is shown anew.
 */
export const rememberedByAddress = <Props extends PlainFields>(Part: ComponentType<Props>) =>
  rememberedFor(Part, ({ visit: { path, query }, today, timeZone, formats }) => ({
    visit: { path, query },
    today,
    timeZone,
    formats,
  }));

/** What a part may use of the frame. */
type Around = { visit: Pick<OpenVisit, 'path' | 'query'> } & Partial<Omit<RowFrame, 'now'>>;

const nowhere: Around = { visit: { path: '', query: new URLSearchParams() } };

const rememberedFor = <Props extends PlainFields>(
  Part: ComponentType<Props>,
  aroundIn: (frame: Frame) => Around,
): FunctionComponent<Props> => {
  const part = (parts += 1);
  return (props) => {
    const frame = useFrame();
    const form = { ...useForm(), refused: undefined };
    if (frame.visit.refused) return h(Part, props);
    const around = aroundIn(frame);
    const { visit, ...days } = around;
    const name = JSON.stringify([part, visit.path, `${visit.query}`, days, form, props]);
    const inside = () => h(InForm, { value: form }, h(Part, props));
    // Nothing that is not part of the name, or always the same: a part that asks for more fails.
    const only = { ...around, policyOf: frame.policyOf } as Frame;
    return markup([htmlOf(name, () => render(h(InFrame, { value: only }, inside())))]);
  };
};

/** The same for an island: it uses nothing but its properties, and a name says which it is. */
export const rememberedIsland = <Props extends object>(
  island: string,
  Part: ComponentType<Props>,
  props: Props,
  asText: string,
): VNode => markup([htmlOf(`${island} ${asText}`, () => render(h(Part, props)))]);

/**
 * The same for the rows of a list: a row that depends on nothing but its data, which are plain, the
 * time zone, how days are written and the minute is put together once for them. `name` says how rows are written.
 */
export const rememberedRows = <Row>(
  name: string,
  { timeZone, formats, now }: RowFrame,
  write: (row: Row, frame: RowFrame) => VNode,
): ((row: Row) => VNode) => {
  const minute = new Date(now.getTime() - (now.getTime() % 60_000));
  const frame = rowFrameAt(minute, { timeZone, formats });
  const way = wayOf(JSON.stringify([name, frame]), () => (ways += 1));
  return (row) => markup([htmlOf(way + JSON.stringify(row), () => render(write(row, frame)))]);
};

let ways = 0;

/** A number stands for how rows are written: each row's name begins with it. */
const wayOf = remembering<number>(1_000);
