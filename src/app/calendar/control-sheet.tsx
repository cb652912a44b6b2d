/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { Refusal } from '../../base/refusal.ts';
import { recordExport } from '../../firm/exported.ts';
import { type ControlSheet, controlSheet, sheetDays } from '../../reports/control-sheet.ts';
import { proveSheet, sheetFile, signSheet } from '../../reports/signed-sheet.ts';
import type { Fields } from '../fields.ts';
import { Icon } from '../icon.tsx';
import { Filter } from '../list.tsx';
import { dayInFull } from '../moments.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { fileName, Paper } from './control-sheet-paper.tsx';

export const sheetPath = '/calendar/control-sheet';

const usualDays = 14;

const sheetOf = ({ actor, query, session }: Visit): Promise<ControlSheet> => {
  const days = sheetDays.find((one) => String(one) === query.get('days')) ?? usualDays;
  return controlSheet(actor, {
    now: new Date(),
    days,
    firmName: session.firmName,
    timeZone: session.timeZone,
    memberName: session.member.name,
  });
};

/** All dates of the next days on paper, with who has each of them; signed, where the server has a key. */
const showSheet = async (visit: Visit): Promise<Shown> => {
  const { installation, may, session } = visit;
  const { key } = installation;
  const sheet = await sheetOf(visit);
  const signed = key && signSheet(sheet, key);
  return {
    title: `Control sheet, ${dayInFull(sheet.from, session)}`,
    main: (
      <>
        <Above>
          {signed && may('data:export') && (
            <form
              class="act"
              method="post"
              action={`${sheetPath}/file`}
              encType="multipart/form-data"
              data-whole
            >
              <input type="hidden" name="sheet" value={sheetFile(signed)} />
              <button class="button">
                <Icon name="download" />
                Save signed file
              </button>
            </form>
          )}
        </Above>
        <Paper sheet={sheet} signed={signed} />
      </>
    ),
  };
};

/** What is not printed: the days, the file, and the button that prints. */
const Above = ({ children }: { children: ComponentChildren }) => (
  <div class="toolbar over-paper">
    <a class="button quiet" href="/calendar">
      Back to the calendar
    </a>
    <form
      class="row end"
      method="get"
      action={sheetPath}
      autocomplete="off"
      novalidate
      data-script="filters"
    >
      <Filter
        name="days"
        label="Days"
        any="The next 14 days"
        options={sheetDays
          .filter((one) => one !== usualDays)
          .map((one) => ({ value: String(one), name: `The next ${one} days` }))}
      />
      <button class="button only-plain">Show</button>
    </form>
    {children}
    <button class="button primary only-scripted" type="button" data-script="prints">
      <Icon name="printer" />
      Print
    </button>
  </div>
);

/** The sheet that the page showed, as a file: it comes back from the page, and only what this server signed is given. */
const saveSheet = async (visit: Visit, fields: Fields): Promise<Response> => {
  const { actor, installation } = visit;
  const signed = proveSheet(fields.raw('sheet') ?? '');
  const isOwn =
    signed.publicKey === installation.key?.publicKey &&
    signed.firmId === actor.firmId &&
    signed.memberId === actor.memberId;
  if (!isOwn)
    throw new Refusal('conflict', 'This sheet is not the one that you opened. Open it again.');
  const { madeAt, dates } = signed;
  await recordExport(actor, { what: 'control sheet', address: sheetPath, rows: dates.length });
  return new Response(sheetFile(signed), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName(madeAt)}"`,
    },
  });
};

const sheetPage = page(sheetPath, 'matters:read', showSheet);

export const controlSheetPages: Page[] = [
  sheetPage,
  form(`${sheetPath}/file`, { allOf: ['data:export', 'matters:read'] }, saveSheet, sheetPage, {
    maxBytes: 4 * 1024 * 1024,
  }),
];
