/** The guide's lines for a firm that is there: its first lead, members, keys, notices, the audit log, and backups. */
import { check } from '../../support/executable.ts';
import { linesUnder } from './guide-lines.ts';
import type { Machine } from './machine.ts';

/** Types what stands under a heading, and checks that nothing fails. */
export type Follow = (machine: Machine, heading: string, lines: string) => Promise<string>;

const [mh = ''] = linesUnder('Commands');

export const useEveryDay = async (machine: Machine, follow: Follow) => {
  const typed = (heading: string, lines: string) =>
    follow(machine, heading, `${mh}\ncd /root\n${lines}`);

  const hasLead = await sendFirstLead(machine, typed);

  const [members = '', links = ''] = linesUnder('Members and roles');
  await typed('Members and roles', members);
  check(
    'a link to choose a password is printed',
    (await typed('Members and roles: links', links.replaceAll('dee@', 'ben@'))).includes('http'),
  );

  const [keys = ''] = linesUnder('Keys');
  const [createKey = '', list = '', rotate = '', revoke = ''] = keys.split('\n');
  const listed = await typed('Keys', [createKey, list, rotate, list].join('\n'));
  const [id = ''] = /^\S+(?=.* Website form .*live)/m.exec(listed) ?? [];
  await typed('Keys: revoke', revoke.replace('KEYID', id));

  await typed('Notifications', linesUnder('Notifications')[0] ?? '');

  // A backup has the heads of what is sealed. What a command stored is sealed when the server next looks.
  const sealed = await machine.type(
    `${mh}\nfor i in $(seq 60); do mh audit verify | grep ' 0 not yet' && break; sleep 1; done`,
  );
  check('what was done is sealed', sealed.said.includes(' 0 not yet'));
  const [make = ''] = linesUnder('Make one', 'backups');
  await typed('Backups: make one', make);
  const [pair = ''] = linesUnder('Encrypt them', 'backups');
  check('two keys', /age1.*AGE-SECRET-KEY-1/s.test(await typed('Backups: keys', pair)));
  const [trial = ''] = linesUnder('Test it', 'backups');
  const restored = await typed(
    'Backups: test it',
    // The server of the trial runs until Ctrl-C.
    trial
      .replace('harrow.backup ', '/var/backups/matterhorn/harrow-2026-11-21.backup ')
      .replace(
        /^(runuser .*--port 3999)/m,
        '$1 & for i in $(seq 100); do matterhorn ready --port 3999 && break; sleep 0.2; done; kill %1; wait || true',
      ),
  );
  check('the restore is proved, and served', /Proved.*The server is ready/s.test(restored));

  await typed('Who did what', linesUnder('Who did what')[0] ?? '');

  if (!hasLead) return;
  // One minute after it came.
  const told = await machine.type(
    `${mh}\nfor i in $(seq 120); do mh inbox --member ada@harrow.example | grep Quill && break; sleep 1; done`,
  );
  check('one minute later the lead is in the inbox', told.said.includes('Quill'));
};

/** Sends it as the guide says, where there is a curl; says whether there is. */
const sendFirstLead = async (
  machine: Machine,
  typed: (heading: string, lines: string) => Promise<string>,
): Promise<boolean> => {
  if ((await machine.type('command -v curl')).exitCode !== 0) {
    console.log('     the first lead was not sent: this Linux has no curl');
    return false;
  }
  const [, firstLead = ''] = linesUnder('By a document');
  const [makeKey = '', ...sendLead] = firstLead.split('\n');
  const [key = ''] = /^\w{30,}$/m.exec(await typed('By a document: a key', makeKey)) ?? [];
  const sent = await typed(
    'By a document: a first lead',
    sendLead.join('\n').replace('Bearer KEY', `Bearer ${key}`),
  );
  check('the lead is stored', /"data":\{"id":/.test(sent));
  return true;
};
