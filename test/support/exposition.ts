/** Reads the text format of Prometheus, as strictly as its own tool checks it. */

export type Sample = { name: string; labels: Record<string, string>; value: number };

/** Every sample of a page. Throws where the page breaks the format, or its families their promises. */
export const readExposition = (page: string): Sample[] => {
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const series = new Set<string>();
  let family = '';
  if (!page.endsWith('\n')) throw new Error('The page does not end with a line feed.');
  for (const line of page.split('\n').filter((one) => one !== '')) {
    const [, helped] = /^# HELP ([a-z_:][a-z0-9_:]*) \S.*$/.exec(line) ?? [];
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (helped) {
      if (types.has(helped)) throw new Error(`${helped} comes twice.`);
      family = helped;
    } else if (typed && type) {
      if (typed !== family) throw new Error(`The type of ${typed} is not below its help.`);
      if ((type === 'counter') !== typed.endsWith('_total'))
        throw new Error(`${typed} is a ${type}.`);
      types.set(typed, type);
    } else {
      const sample = readSample(line);
      const parts = types.get(family) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      if (!parts.some((part) => sample.name === family + part))
        throw new Error(`${sample.name} is not of the family ${family}.`);
      const identity = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (series.has(identity)) throw new Error(`Twice: ${line}`);
      series.add(identity);
      samples.push(sample);
    }
  }
  checkBuckets(samples);
  return samples;
};

const readSample = (line: string): Sample => {
  const [, name, , inside = '', text] =
    /^([a-z_:][a-z0-9_:]*)(\{(.*)\})? (-?[\d.e+-]+|NaN|[+-]Inf)$/.exec(line) ?? [];
  if (!name) throw new Error(`No sample: ${line}`);
  const found = [...inside.matchAll(/([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/g)];
  if (found.map(([pair]) => pair).join('') !== inside) throw new Error(`Broken labels: ${line}`);
  return {
    name,
    labels: Object.fromEntries(found.map(([, label = '', value = '']) => [label, value])),
    value: Number(text?.replace('Inf', 'Infinity')),
  };
};

/** Buckets grow, and the last one holds as many as were counted. */
const checkBuckets = (samples: Sample[]) => {
  const last = new Map<string, number>();
  for (const { name, labels, value } of samples) {
    const { le, ...others } = labels;
    const identity = `${name.replace(/_(bucket|count)$/, '')}${JSON.stringify(others)}`;
    if (name.endsWith('_bucket')) {
      if (value < (last.get(identity) ?? 0)) throw new Error(`Buckets of ${identity} shrink.`);
      last.set(identity, value);
    } else if (name.endsWith('_count') && last.get(identity) !== value) {
      throw new Error(`The buckets of ${identity} do not add up.`);
    }
  }
};
