/** The guide's lines for a folder of one's own, typed by somebody who is not root and has the download at home. */
import { check } from '../../support/executable.ts';
import { linesUnder } from './guide-lines.ts';
import type { Machine } from './machine.ts';

export const useOwnFolder = async (
  machine: Machine,
  { newer, inOwnFolder }: { newer: string; inOwnFolder: string },
) => {
  const type = (lines: string) => machine.type(lines, { as: 'ada', folder: '/home/ada' });
  const must = async (what: string, lines: string) => {
    const { exitCode, said } = await type(lines);
    check(what, exitCode === 0);
    if (exitCode !== 0) console.log(said);
  };
  const readyHere = './matterhorn-0.3.0-linux-x64 ready > /dev/null 2>&1';
  const ready = '~/matterhorn/matterhorn ready > /dev/null 2>&1';
  const untilReady = `for i in $(seq 300); do ${ready} && break; sleep 0.2; done; ${ready}`;

  const [, , demonstration = ''] = linesUnder('Download');
  const shown = type(`echo $$ > ~/pid; ${demonstration.replace('\n', ' && exec ')}`);
  await must('Download: the demonstration serves', untilReady.replaceAll(ready, readyHere));
  await type('kill -INT $(cat ~/pid)');
  const { exitCode, said: showed } = await shown;
  check(
    'it printed an address to open, and Ctrl-C stopped it',
    exitCode === 0 && /http:/.test(showed),
  );
  await must('its data is gone', '! ls -d matterhorn-data /tmp/matterhorn-demo-*');

  const [begin = ''] = linesUnder('In a folder of your own');
  const first = type(begin);
  await must('In a folder of your own: it serves', untilReady);
  await must(
    '`./matterhorn` is `mh` there',
    'cd ~/matterhorn\n./matterhorn firm example > firm.yaml\n./matterhorn firm apply firm.yaml',
  );
  await must('Upgrade: in the folder', inOwnFolder);
  const { said } = await first;
  check('it said where the firm is made, and the upgrade ended it', said.includes('/setup?token='));

  const second = type('echo $$ > ~/pid; cd ~/matterhorn && exec ./matterhorn');
  await must('the newer one serves', untilReady);
  await must(
    'it is the newer one, with the firm',
    `cd ~/matterhorn\n./matterhorn version | grep -x ${newer}\n./matterhorn firm list | grep Harrow`,
  );
  await type('kill -INT $(cat ~/pid)');
  check('Ctrl-C stops it', (await second).exitCode === 0);
};
