/** kill -9 of the upgrade, of the new server and of Postgres: afterwards one of the two versions serves all data. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../../support/executable.ts';
import type { UpgradeTrial } from '../../support/upgrade-trial.ts';

const steps = ['Copying', 'Trying', 'Putting', 'Upgraded'];
const delays = [0, 40, 200, 500, 900];

/** Kills a process that may have ended. */
export const kill = (pid: number | undefined) => {
  try {
    if (pid) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
};

/** The process whose command line begins so. */
export const processOf = (line: string): number | undefined => {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      if (words.startsWith(line)) return Number(pid);
    } catch {
      // It has ended.
    }
  }
  return undefined;
};

export const killsOn = (trial: UpgradeTrial) => {
  const { executable, environment, upgradeWords, install, serve } = trial;

  /** Begins the upgrade, and calls `act` when it has said a word. */
  const begun = async (
    word: string,
    act: (upgrade: Bun.Subprocess) => Promise<void>,
    more: Record<string, string> = {},
  ) => {
    const upgrade = Bun.spawn([executable, ...upgradeWords], {
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const hear = async (stream: ReadableStream<Uint8Array>) => {
      for await (const piece of stream) said += new TextDecoder().decode(piece);
    };
    const heard = Promise.all([hear(upgrade.stderr), hear(upgrade.stdout)]);
    while (!said.includes(word) && upgrade.exitCode === null) await Bun.sleep(2);
    await act(upgrade);
    await Promise.all([upgrade.exited, heard]);
  };

  /** The same for a server that runs. */
  const until = async (...how: Parameters<typeof begun>) => {
    await install();
    const before = await serve();
    await begun(...how);
    return before;
  };

  /** Whether one of the two serves: it still runs, or it starts by its usual command. */
  const oneServes = async (before: Awaited<ReturnType<typeof serve>>) => {
    await Bun.sleep(300);
    if (await before.isReady()) {
      if (await trial.hasFirm()) return { server: before, serves: true };
      // The upgrade may have told it to stop, just before it was killed.
      await Promise.race([before.server.exited, Bun.sleep(10_000)]);
      if (before.server.exitCode !== 0) return { server: before, serves: false };
    }
    await before.server.exited;
    const server = await serve();
    return { server, serves: (await server.isReady()) && (await trial.hasFirm()) };
  };

  return { begun, until, oneServes };
};

/** kill -9 of the upgrade and of its step while it puts the data back. */
export const tryKillsOfGoingBack = async (trial: UpgradeTrial) => {
  const { until, oneServes } = killsOn(trial);
  for (const delay of [0, 30, 80, 200]) {
    const kills = async (upgrade: Bun.Subprocess) => {
      const backs = () => processOf('/proc/self/exe upgrade-data back');
      while (!backs() && upgrade.exitCode === null) await Bun.sleep(2);
      const back = backs();
      await Bun.sleep(delay);
      kill(back);
      kill(upgrade.pid);
    };
    const before = await until('Trying', kills, { UPGRADE_FAILS: 'trial' });
    const { server, serves } = await oneServes(before);
    const is = `${await trial.version()} serves`;
    check(`killed ${delay} ms after it began to go back: ${is}`, serves);
    await server.stop();
  }
};

export const tryKills = async (trial: UpgradeTrial) => {
  const { executable, data, upgradeWords, command } = trial;
  const { until, oneServes } = killsOn(trial);

  for (const step of steps) {
    for (const delay of delays) {
      const before = await until(step, async (upgrade) => {
        await Bun.sleep(delay);
        kill(upgrade.pid);
      });
      const { server, serves } = await oneServes(before);
      const version = await trial.version();
      check(`the upgrade killed ${delay} ms after “${step}”: ${version} serves`, serves);
      await server.stop();
    }
  }

  for (const delay of [0, 300, 900]) {
    const before = await until('Trying', async () => {
      await Bun.sleep(delay);
      kill(processOf(`${executable}.new serve`));
    });
    const { server, serves } = await oneServes(before);
    check(`the new server killed after ${delay} ms: ${await trial.version()} serves`, serves);
    await server.stop();
  }

  for (const delay of [300, 900]) {
    const before = await until('Trying', async () => {
      await Bun.sleep(delay);
      const file = join(data, 'pgdata/postmaster.pid');
      const [pid] = (
        await Bun.file(file)
          .text()
          .catch(() => '')
      ).split('\n');
      kill(Number(pid));
    });
    const { server, serves } = await oneServes(before);
    check(`Postgres killed after ${delay} ms: ${await trial.version()} serves`, serves);
    await server.stop();
  }

  await until('Trying', async (upgrade) => {
    await Bun.sleep(400);
    kill(upgrade.pid);
  });
  const back = await command(['upgrade', '--data', data]);
  console.log(back.err + back.out);
  check('an interrupted upgrade goes back when it is asked to', back.exitCode === 0);
  const again = await command(upgradeWords);
  check('and is done again', again.exitCode === 0 && (await trial.version()) === '9.2.0');
  const nothing = await command(['upgrade', '--data', data]);
  check('what waits for its first start is said', /Start it again/.test(nothing.out));
};
