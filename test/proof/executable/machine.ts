/**
 * A machine of its own on this one: a copy of its files that is thrown away, an own network, own processes, and its own
 * systemd. So a service is installed, started and removed as on a server, and this machine does not notice. Needs root
 * on Linux, and systemd's files.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What this machine may have, and a new server has not. */
const absent = [
  ...['/usr/bin/sudo', '/etc/matterhorn.env', '/var/lib/matterhorn', '/usr/local/bin/matterhorn'],
  '/etc/systemd/system/matterhorn.service',
  // An image for containers has it: it keeps packages from starting their services.
  '/usr/sbin/policy-rc.d',
];

/** Becomes the machine: its files above those of `$1`, which stay as they are; the folder `$3` is its /release. */
const boot = `set -e
from=$1 folder=$2 release=$3
mount --make-rprivate /
mount -t tmpfs machine "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
mount -t overlay machine -o "lowerdir=$from,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mkdir -p old release dev proc sys run tmp
mount --bind "$release" release
mount -t proc proc proc
mount -t sysfs sys sys
mount -t cgroup2 cgroup sys/fs/cgroup
mount -t tmpfs dev dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
ln -s /proc/self/fd dev/fd
mkdir dev/shm && mount -t tmpfs -o mode=1777 shm dev/shm
mkdir dev/pts && mount -t devpts -o newinstance,ptmxmode=0666,mode=620 pts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=755 run run && mkdir run/lock
mount -t tmpfs -o mode=1777 tmp tmp
rm -rf ${absent.map((path) => path.slice(1)).join(' ')} etc/systemd/system/*.wants
: > etc/machine-id
ip link set lo up
# As a symbolic link it may lead to what is not here.
rm -f etc/hosts && echo '127.0.0.1 localhost matterhorn.harrow.example' > etc/hosts
pivot_root . old
umount -l /old
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=multi-user.target --show-status=0`;

type Typed = { exitCode: number; said: string };

/** Starts one with the files of a folder, of a Linux with systemd. What is in `release` is in its /release. */
export const startMachine = async (from: string, release: string) => {
  if (!existsSync(join(from, 'lib/systemd/systemd'))) throw new Error(`${from} has no systemd.`);
  const folder = await mkdtemp(join(tmpdir(), 'matterhorn-machine-'));
  const spaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--uts', '--ipc'];
  const script = ['sh', '-c', boot, 'boot', from, folder, release];
  const machine = Bun.spawn(['unshare', ...spaces, '--cgroup', ...script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const first = async () => {
    const path = `/proc/${machine.pid}/task/${machine.pid}/children`;
    return (await Bun.file(path).text()).trim();
  };

  /** Types lines in a shell of the machine, as root or as another user, and presses Enter where it asks. */
  const type = async (
    lines: string,
    { as = 'root', folder: at = '/release' } = {},
  ): Promise<Typed> => {
    const home = as === 'root' ? '/root' : `/home/${as}`;
    const user = as === 'root' ? [] : ['runuser', '-u', as, '--'];
    const environment = [`HOME=${home}`, 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin'];
    const shell = [
      'env',
      '-i',
      ...environment,
      'LC_ALL=C.UTF-8',
      ...user,
      'timeout',
      '180',
      'bash',
      '-ec',
    ];
    const child = Bun.spawn(
      ['nsenter', '--target', await first(), '--all', '--root', '--wd'].concat(shell, [
        `cd ${at}\n${lines}`,
      ]),
      { stdio: [new Blob(['\n\n\n']), 'pipe', 'pipe'] },
    );
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { exitCode: await child.exited, said: out + err };
  };

  const stop = async () => {
    machine.kill('SIGKILL');
    await machine.exited;
    await rm(folder, { recursive: true, force: true });
  };

  for (let left = 100; left > 0; left -= 1) {
    const is = await type('systemctl is-system-running', { folder: '/' }).catch(() => undefined);
    if (/^(running|degraded)/.test(is?.said ?? '')) break;
    if (left === 1) throw new Error(`The machine does not start: ${is?.said}`);
    await Bun.sleep(200);
  }
  return {
    type,
    stop,
    /** Before the words of a program of this machine, which then runs in that one's network. */
    inItsNetwork: ['nsenter', '--target', await first(), '--net'],
    /** Reads a file of the machine, or writes one. */
    file: async (path: string) => Bun.file(`/proc/${await first()}/root${path}`),
  };
};

export type Machine = Awaited<ReturnType<typeof startMachine>>;
