/** What a caller asks for in `Prefer` (RFC 7240; docs/contract.md, Additions). */
export type Preferences = {
  /** `handling=strict`: refuse what would be ignored. */
  isStrict: boolean;
  /** `dry-run`: check everything, and store nothing. */
  isDryRun: boolean;
};

const none: Preferences = { isStrict: false, isDryRun: false };

// A comma or a semicolon between quotes separates nothing.
const quotedText = /"(?:[^"\\]|\\.)*"/g;

/** Reads the header. Of a preference that is sent twice, the first counts; unknown ones do not. */
export const preferencesOf = (header: string | null): Preferences => {
  if (header === null) return none;
  const asked = new Map<string, string>();
  const plain = header.replace(quotedText, (text) =>
    /^"\w+"$/.test(text) ? text.slice(1, -1) : '',
  );
  for (const part of plain.toLowerCase().split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map((one) => one.trim());
    if (!asked.has(name)) asked.set(name, value);
  }
  return { isStrict: asked.get('handling') === 'strict', isDryRun: asked.has('dry-run') };
};

/** What `Preference-Applied` says; undefined if nothing was applied. */
export const appliedOf = ({ isStrict, isDryRun }: Preferences): string | undefined =>
  [...(isStrict ? ['handling=strict'] : []), ...(isDryRun ? ['dry-run'] : [])].join(', ') ||
  undefined;
