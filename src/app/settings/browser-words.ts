const programs: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const firstOf = (known: [RegExp, string][], agent: string) =>
  known.find(([pattern]) => pattern.test(agent))?.[1];

/** A browser's name in words, from its user agent: `Firefox on Windows`. */
export const browserWords = (agent: string): string => {
  const [program, system] = [firstOf(programs, agent), firstOf(systems, agent)];
  if (program && system) return `${program} on ${system}`;
  return program ?? system ?? 'An unknown browser';
};
