/** @jsxImportSource preact */
/** The page of what is done to several records: how far it is, what came of it, and its undo. */

import { written } from '../base/numbers.ts';
import { type RefusedRecord, readBulk, refusedOf, undoBulk, whyNotUndone } from '../bulk/bulk.ts';
import { doing } from '../bulk/doing.ts';
import { doNow, undoStep } from '../bulk/step.ts';
import type { BulkKind } from '../bulk/table.ts';
import { cameFrom, pathWithin } from './address.ts';
import { bulkPath, changedWords, goneWords, type Several, saidOf, undoneWords } from './bulk.tsx';
import { Act } from './form.tsx';
import { Icon } from './icon.tsx';
import { severalLeads } from './leads/list.tsx';
import { severalMatters } from './matters/list.tsx';
import { counted } from './numbers.ts';
import { Panel, Title } from './page-parts.tsx';
import { Progress } from './progress.tsx';
import { saying } from './said.ts';
import { form, type Page, page, type Shown, type Visit } from './visit.ts';

const severalOf: Record<BulkKind, Several> = { lead: severalLeads, matter: severalMatters };

/** At most this many refused records are listed. */
const maxListed = 200;

/** The list that an address of a bulk's page leads back to. */
const listIn = (query: URLSearchParams, kind: BulkKind): string | undefined => {
  const to = pathWithin(query.get('to'));
  return to.split('?')[0] === `/${kind}s` ? to : undefined;
};

const showBulk = async (visit: Visit<'/bulk/:id'>): Promise<Shown> => {
  const { actor, parameters, query, may } = visit;
  const bulk = await readBulk(actor, parameters.id);
  const { id, kind, act, counts, doneAt, undoBegunAt, undoneAt } = bulk;
  const several = severalOf[kind];
  const many = counted(counts.all, kind);
  const left = counts.done - counts.changed;
  const [all, refused] = await Promise.all([
    doneAt && saidOf(actor, several, act, counts.changed),
    left > 0 ? refusedOf(actor, bulk, maxListed) : [],
  ]);
  const said = counts.changed > 0 ? (all ?? '') : 'Nothing was changed.';
  const words = left > 0 && counts.changed > 0 ? `${said} ${changedWords(several, counts)}` : said;
  const list = listIn(query, kind);
  // Those that were refused are read here.
  const leads = left > 0 ? undefined : list;
  const keeps = {
    'data-script': 'keeps-bulk',
    'data-place': `/${kind}s`,
    'data-at': (doneAt ?? bulk.createdAt).toISOString(),
  };
  const title = `${several.acts[act.what]?.title ?? 'Change'} ${many}`;
  const canUndo = may(doing[kind].needs) && !whyNotUndone(bulk, new Date());
  return {
    title,
    place: `/${kind}s`,
    follows: ['bulk_change', kind],
    main: (
      <>
        <Title title={title}>
          {canUndo && (
            <Act action={`${bulkPath(id)}/undo`} class="button">
              <Icon name="undo-2" />
              Undo
            </Act>
          )}
          <a class="button" href={list ?? `/${kind}s?view=list`}>
            Back to the {kind}s
          </a>
        </Title>
        <div class="stack">
          {!doneAt && (
            <div {...keeps} data-page={bulkPath(id, list)} data-words={`${title}: not done yet.`}>
              <Progress done={counts.done} all={counts.all} noun={kind} words="done">
                You can leave this page: the work continues.
              </Progress>
            </div>
          )}
          {undoBegunAt && !undoneAt && (
            <Progress done={counts.looked} all={counts.all} noun={kind} words="looked at">
              You can leave this page: the undo continues.
            </Progress>
          )}
          {doneAt && !undoBegunAt && (
            <p
              class={counts.changed > 0 ? 'banner ok' : 'banner'}
              role="status"
              {...keeps}
              data-undo={canUndo ? `${bulkPath(id)}/undo` : undefined}
              data-words={words}
              data-leads={leads}
            >
              <span>
                {words}
                {canUndo &&
                  ' You can undo this for an hour. Records that somebody has changed since stay as they are.'}
              </span>
            </p>
          )}
          {undoneAt && (
            <p
              class="banner"
              role="status"
              {...keeps}
              data-words={undoneWords(several, counts)}
              data-leads={leads}
            >
              <span>{undoneWords(several, counts)}</span>
            </p>
          )}
          {left > 0 && <RefusedRecords kind={kind} rows={refused} all={left} />}
        </div>
      </>
    ),
  };
};

type RefusedProps = { kind: BulkKind; rows: readonly RefusedRecord[]; all: number };

const RefusedRecords = ({ kind, rows, all }: RefusedProps) => (
  <Panel id="refused" title={`Not changed: ${counted(all, kind)}`}>
    <ul class="rows">
      {rows.map(({ id, number, why }) => (
        <li>
          {id ? (
            <a class="name nowrap" href={`/${kind}s/${id}`}>
              {number}
            </a>
          ) : (
            <span class="muted nowrap">One</span>
          )}
          <span class="grow">{id ? why : goneWords}</span>
        </li>
      ))}
    </ul>
    {all > rows.length && (
      <p class="body muted">
        The first {written(rows.length)} of {written(all)}.
      </p>
    )}
  </Panel>
);

const undo = async ({ actor, parameters: { id }, request }: Visit<'/bulk/:id'>) => {
  await doNow(actor, await undoBulk(actor, id), undoStep);
  const { kind, counts, undoneAt } = await readBulk(actor, id);
  const list = `/${kind}s?view=list`;
  const from = cameFrom(request, list);
  if (undoneAt) return saying(from, undoneWords(severalOf[kind], counts));
  // From the list, or from the bulk's own page, which has the list in its address.
  const [path = '', search] = from.split('?');
  const to = path === `/${kind}s` ? from : listIn(new URLSearchParams(search), kind);
  return saying(
    bulkPath(id, to ?? list),
    `The change of ${counted(counts.all, kind)} is being undone.`,
  );
};

const bulkPage = page('/bulk/:id', 'member', showBulk);

export const bulkPages: Page[] = [
  bulkPage,
  form('/bulk/:id/undo', 'member', undo, bulkPage, {
    also: async ({ actor, parameters }) => doing[(await readBulk(actor, parameters.id)).kind].needs,
  }),
];
