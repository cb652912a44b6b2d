/**
 * An expected failure: one sentence that says the cause and the way out, fit to be shown as it is.
 * Recognisable by its name, `PlainError`.
 */
export const plainError = (sentence: string): Error => {
  const error = new Error(sentence);
  error.name = 'PlainError';
  return error;
};

const causes: Record<string, string> = {
  EACCES: 'the permission is missing',
  EPERM: 'the permission is missing',
  ENOENT: 'a file or folder is missing',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  EDQUOT: "the user's disk quota is used up",
  ENOTDIR: 'a part of its path is a file, not a directory',
  EEXIST: 'a file has the name of a directory that is needed',
  ELOOP: 'it leads through a symbolic link where none may be',
  ENAMETOOLONG: 'its path is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** The failure of a file operation below `directory` in plain words; anything else as it came. */
export const inPlainWords = (error: unknown, directory: string): unknown => {
  if (!(error instanceof Error) || error.name === 'PlainError') return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const cause = code === undefined ? undefined : causes[code];
  if (cause === undefined) return error;
  const account = process.geteuid?.() === 0 ? 'root' : `this user (uid ${process.geteuid?.()})`;
  return plainError(
    `The data directory ${directory} cannot be used by ${account}: ${cause}` +
      `${path ? ` at ${path}` : ''}. Correct that, or name another data directory.`,
  );
};
