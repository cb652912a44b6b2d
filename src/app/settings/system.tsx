/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { rememberedBackup } from '../../backup/remembered.ts';
import { type BackupFile, type Backups, keptByHand } from '../../backup/schedule.ts';
import { isTaken } from '../../base/certificate-settings.ts';
import { fileSentenceOf } from '../../base/file-error.ts';
import { fingerprintOf } from '../../base/installation-key.ts';
import { describeError, log } from '../../base/log.ts';
import { Refusal } from '../../base/refusal.ts';
import { examineAddress } from '../../doctor/address.ts';
import { examineBackups, examineData, examineDisk } from '../../doctor/examine.ts';
import type { Finding } from '../../doctor/finding.ts';
import { examineMail } from '../../doctor/mail.ts';
import { examineTaken, wordsOfTaken } from '../../doctor/taken.ts';
import { recordBackup } from '../../firm/exported.ts';
import { readFirm } from '../../firm/firm.ts';
import { build } from '../../version.ts';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { DayWords, Moment, MomentSaid, spanWords } from '../moments.tsx';
import { Panel } from '../page-parts.tsx';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Coded } from '../words.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/system';

const showSystem = async (visit: Visit): Promise<Shown> => {
  const { installation, settings, query } = visit;
  const { backups, key, dataDirectory } = installation;
  const taken = isTaken(settings.tls)
    ? await examineTaken(visit.database, settings.tls, installation.keyFile)
    : undefined;
  const [{ mailsSince }, findings, files, remembered] = await Promise.all([
    readFirm(visit.actor),
    findingsFor(visit),
    filesOf(backups),
    dataDirectory ? rememberedBackup(dataDirectory) : undefined,
  ]);
  return settingsPage({
    title: 'Server',
    intro: 'The state of the server.',
    main: (
      <>
        {query.has('made') && (
          <p class="banner ok" role="status">
            The backup is complete.
          </p>
        )}
        {query.has('making') && (
          <p class="banner" role="status">
            The backup is running. It appears in the list when it is complete.
          </p>
        )}
        <Findings findings={[...findings, ...(taken?.findings ?? [])]} />
        <Panel id="server" title="Server">
          <div class="body">
            <dl class="values">
              <Value name="Version" value={build.version} />
              <Value name="Build" value={<BuildWords />} />
              <Value
                name="Data"
                value={
                  settings.database
                    ? 'In a Postgres database that is looked after elsewhere'
                    : `In ${dataDirectory ?? 'the data directory'}, with the server’s own Postgres`
                }
              />
              {taken && <Value name="Certificate" value={wordsOfTaken(taken.certificate)} />}
              <Value
                name="Mail"
                value={<MailState isSet={settings.mail !== undefined || mailsSince !== null} />}
              />
              <Value
                name="Signing key"
                value={key ? fingerprintOf(key.publicKey) : 'None: nothing is signed'}
              />
            </dl>
          </div>
        </Panel>
        {backups ? <Folder backups={backups} files={files} /> : <NoFolder newest={remembered} />}
      </>
    ),
  });
};

/** What is not as it should be with this firm and the server; nothing of another firm. */
const findingsFor = async ({ actor, database, settings, installation }: Visit) => {
  const { keyFile, dataDirectory } = installation;
  const found = await Promise.all([
    examineData(database, { firmId: actor.firmId, keyFile }),
    dataDirectory ? examineDisk(dataDirectory) : [],
    examineBackups(settings, dataDirectory),
    examineAddress(settings),
    examineMail(database, settings, actor.firmId).then(({ findings }) => findings),
  ]);
  return found.flat();
};

/** The finished backups; null where the folder cannot be read. */
const filesOf = (backups: Backups | undefined): Promise<BackupFile[] | null> =>
  backups ? backups.list().catch(() => null) : Promise.resolve(null);

const BuildWords = () => (
  <>
    Commit {build.commit}
    {build.builtOn ? (
      <>
        , built on <DayWords day={build.builtOn} />
      </>
    ) : (
      ', run from its source'
    )}
  </>
);

/** Whether mail is set up. Only owners may look at how. */
const MailState = ({ isSet }: { isSet: boolean }) => {
  const { admits } = useFrame();
  return (
    <>
      {isSet ? 'Notices also go out by mail.' : 'Not set up: notices stay in the application.'}{' '}
      {admits('/settings/mail') && <a href="/settings/mail">{isSet ? 'Mail' : 'Set up mail'}</a>}
    </>
  );
};

const Value = ({ name, value }: { name: string; value: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd class="static">{value}</dd>
  </div>
);

const Findings = ({ findings }: { findings: Finding[] }) => (
  <Panel id="findings" title="Findings">
    {findings.length === 0 ? (
      <div class="body">
        <p class="row">
          <span class="tag ok">
            <Icon name="circle-check" />
            In order
          </span>
          Everything is as it should be.
        </p>
      </div>
    ) : (
      <ul class="rows">
        {findings.map((finding) => (
          <li>
            <div class="grow">
              <p>
                <span class={`tag ${finding.level === 'problem' ? 'danger' : 'warn'}`}>
                  {finding.level === 'problem' ? 'Problem' : 'Warning'}
                </span>{' '}
                <Coded text={finding.what} />
              </p>
              <Advice finding={finding} />
            </div>
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

/** Where the firm's people can solve it, or what the person who looks after the server does. */
const Advice = ({ finding }: { finding: Finding }) => {
  const { admits } = useFrame();
  return finding.page && admits(finding.page) ? (
    <a class="small" href={finding.page}>
      Fix it
    </a>
  ) : (
    <p class="small muted">
      <Coded text={finding.do} />
    </p>
  );
};

/** How to set up backups, for the person who looks after the server. */
const NoFolder = ({ newest }: { newest: Date | undefined }) => (
  <Panel id="backups" title="Backups">
    <div class="body stack">
      <p>
        Automatic backups are not set up.{' '}
        {newest && (
          <>
            The newest was created at the terminal <MomentSaid at={newest} />.
          </>
        )}
      </p>
      <p>To set them up, the person who looks after the server does this:</p>
      <ol class="steps">
        <li>
          Name a folder in the setting <code>BACKUP_DIR</code>, best on another disk: for example{' '}
          <code>BACKUP_DIR=/var/lib/matterhorn-backups</code>.
        </li>
        <li>
          Encrypt them: run <code>matterhorn backup key</code>, and put its first key into the
          setting <code>BACKUP_RECIPIENT</code>. Store the second key somewhere else.
        </li>
        <li>Restart the server. It creates a backup at once, and then one every day.</li>
        <li>Copy the backups to another place regularly.</li>
      </ol>
      <p class="muted">
        To create one now, run <code>matterhorn backup FILE</code> on the server.
      </p>
    </div>
  </Panel>
);

const Folder = ({ backups, files }: { backups: Backups; files: BackupFile[] | null }) => {
  const { now } = useFrame();
  const { directory, everyMilliseconds, keep, isEncrypted } = backups;
  const [newest] = files ?? [];
  return (
    <Panel
      id="backups"
      title="Backups"
      action={
        <Act action={`${path}/backup`} class="button small">
          Back up now
        </Act>
      }
    >
      <div class="body stack">
        {files === null ? (
          <p class="banner danger">
            The folder <code>{directory}</code> is not there or cannot be read.
          </p>
        ) : (
          <p>
            {newest
              ? `The newest is ${spanWords((now.getTime() - newest.at.getTime()) / 1000)} old.`
              : 'There are no backups yet.'}
          </p>
        )}
        <p class="muted">
          A backup is written to <code>{directory}</code> on the server every{' '}
          {spanWords(everyMilliseconds / 1000)}. The newest {keep} stay there, and the newest{' '}
          {keptByHand} that were started by hand. Each backup contains all data of every firm on
          this server, {isEncrypted ? 'encrypted.' : 'and is not encrypted.'}
        </p>
      </div>
      {files && files.length > 0 && <Files files={files} />}
    </Panel>
  );
};

const Files = ({ files }: { files: BackupFile[] }) => (
  <Table
    caption="Backups"
    rows={files}
    columns={[
      { name: 'File', isHead: true, class: 'line-1', cell: ({ name }) => <code>{name}</code> },
      {
        name: 'Created',
        class: 'nowrap line-2',
        cell: ({ at }) => <Moment at={at.toISOString()} />,
      },
      { name: 'By', cell: ({ isByHand }) => (isByHand ? 'By hand' : 'By schedule') },
      {
        name: 'Size',
        class: 'number line-2',
        cell: ({ bytes }) => `${(bytes / 1_000_000).toFixed(1)} MB`,
      },
    ]}
  />
);

const maxMilliseconds = 15_000;

/** Makes a backup. A long one continues after the answer. */
const backUp = async ({ actor, installation }: Visit) => {
  const { backups } = installation;
  if (!backups) throw new Refusal('conflict', 'This server has no folder for backups.');
  const making = backups
    .makeNow()
    .then((name) => recordBackup(actor, name))
    .then(() => 'made');
  making.catch((error) => log('error', 'backup by hand failed', describeError(error)));
  const state = await Promise.race([making, Bun.sleep(maxMilliseconds).then(() => 'making')]).catch(
    (error) => {
      const sentence = fileSentenceOf(error);
      throw sentence ? new Refusal('conflict', sentence) : error;
    },
  );
  return `${path}?${state}`;
};

const may = 'firm:write';

const systemPage = page(path, may, showSystem);

export const systemPages: Page[] = [
  systemPage,
  form(`${path}/backup`, may, backUp, systemPage, {
    proof: 'create a backup',
    said: 'The backup has begun.',
  }),
];
