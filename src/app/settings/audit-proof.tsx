/** @jsxImportSource preact */
import type { Head } from '../../audit/head.ts';
import type { Standing } from '../../audit/verify.ts';
import { written } from '../../base/numbers.ts';
import { proveLog } from '../../doctor/log-proof.ts';
import { Alert } from '../alerts.tsx';
import { kindName } from '../history.ts';
import { Icon } from '../icon.tsx';
import { MomentSaid } from '../moments.tsx';
import type { Visit } from '../visit.ts';
import { Copy } from './secret.tsx';

/** The result of a check of the log; `later` if it takes longer than a page may. */
export type Proof = Standing | 'later';

const maxMilliseconds = 20_000;

/** Verifies the firm's log. A long check continues; the next request gets its result. */
export const proved = async ({ actor, installation }: Visit): Promise<Proof> => {
  const proving = proveLog(actor, actor.firmId, installation.key);
  return Promise.race([proving, Bun.sleep(maxMilliseconds).then(() => 'later' as const)]);
};

type Props = { action: string; head: Head | undefined; proof: Proof | undefined };

/** The proof of the log: its head to keep elsewhere, and whether all entries fit. */
export const Proof = ({ action, head, proof }: Props) => (
  <section class="panel" aria-labelledby="proof-title">
    <header>
      <h2 id="proof-title">Proof</h2>
      <form class="act" method="get" action={action}>
        <button class="button small" name="verify" value="yes">
          <Icon name="shield-check" />
          Verify
        </button>
      </form>
    </header>
    <div class="body stack">
      {proof && <Found proof={proof} />}
      {head ? (
        <>
          <p>
            Each entry is sealed within seconds, over all entries before it. Save the head of the
            log elsewhere now and then: it proves that no earlier entry was changed since.
          </p>
          <dl class="values">
            <div>
              <dt>Head</dt>
              <dd>
                <div class="secret">
                  <code id="head">{head.hash}</code>
                  <Copy of="head" label="Copy the head" />
                </div>
              </dd>
            </div>
            <div>
              <dt>Sealed</dt>
              <dd class="static">{written(Number(head.seals))} entries</dd>
            </div>
            <div>
              <dt>Signed</dt>
              <dd class="static">
                {head.signature ? (
                  <>
                    through entry {written(Number(head.signature.seals))},{' '}
                    <MomentSaid at={new Date(head.signature.signedAt)} />
                  </>
                ) : (
                  'Not signed: this server has no key to sign with.'
                )}
              </dd>
            </div>
          </dl>
        </>
      ) : (
        <p class="muted">No entry is sealed yet. Sealing takes a few seconds.</p>
      )}
    </div>
  </section>
);

const Found = ({ proof }: { proof: Proof }) => {
  if (proof === 'later') {
    return (
      <p class="banner" role="status">
        The log is long, and is still being verified. Press Verify again in a minute.
      </p>
    );
  }
  const { firstBad, entries, sealed } = proof;
  if (!firstBad) {
    return (
      <p class="banner ok" role="status" tabIndex={-1} data-focus>
        Verified: {written(entries)} entries, {written(sealed)} of them sealed. All fit.
      </p>
    );
  }
  const { id, recordKind, recordId, what, explanation } = firstBad;
  return (
    <Alert title="The log does not match its seals">
      <p>
        {id ? `Entry ${id}` : 'An entry'}
        {recordKind && ` about the ${kindName(recordKind)} ${recordId}`} ({what}). {explanation}
      </p>
      <p>
        Compare with a backup or an earlier export, and find out who could write to the database.
      </p>
    </Alert>
  );
};
