/** wrk as the load, where it is installed: a program of its own that costs little CPU. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadRequest, Measured } from './load.ts';

/** The path of wrk; null if it is not on the PATH. */
export const wrk = Bun.which('wrk');

/**
 * Sends these requests in turn with wrk, from this many clients, for this many whole seconds.
 * `requests` ends up as a script of wrk's (Lua), which also prints what was measured.
 */
export const measureWithWrk = async (
  program: string,
  url: string,
  requests: LoadRequest[],
  clients: number,
  seconds: number,
): Promise<Measured> => {
  const folder = await mkdtemp(join(tmpdir(), 'matterhorn-wrk-'));
  const script = join(folder, 'requests.lua');
  await Bun.write(script, scriptOf(requests));
  const options = ['--threads', '1', '--connections', String(clients), '--timeout', '60s'];
  const child = Bun.spawn(
    [program, ...options, '--duration', `${seconds}s`, '--script', script, url],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  await rm(folder, { recursive: true });
  const figures = /^MEASURED (.*)$/m.exec(printed)?.[1]?.split(' ').map(Number);
  if (!figures) throw new Error(`wrk failed: ${complaints}${printed}`);
  const [requested = 0, microseconds = 0, failed = 0, p50 = 0, p99 = 0] = figures;
  return {
    perSecond: (requested * 1e6) / microseconds,
    p50: p50 / 1000,
    p99: p99 / 1000,
    requests: requested,
    failed,
    load: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000 / requested,
  };
};

const scriptOf = (requests: LoadRequest[]) => {
  const prepared = requests.map(({ method, path, key, body }) => {
    const headers = `{ ["Authorization"] = ${quoted(`Bearer ${key}`)}, ["Content-Type"] = "application/json" }`;
    return `wrk.format(${quoted(method)}, ${quoted(path)}, ${headers}, ${body ? quoted(body) : 'nil'})`;
  });
  return `
local prepared
local sent = 0
function init()
  prepared = { ${prepared.join(',\n')} }
end
function request()
  sent = sent + 1
  return prepared[(sent - 1) % #prepared + 1]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("MEASURED %d %d %d %d %d\\n", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
`;
};

/** A text as Lua reads it: JSON's escapes are its own, as long as all of it is ASCII. */
const quoted = (text: string) => {
  if (!/^[ -~]*$/.test(text)) throw new Error('The load sends ASCII only.');
  return JSON.stringify(text);
};
