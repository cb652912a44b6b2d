import { Refusal } from '../../base/refusal.ts';

const causes: Record<string, string> = {
  EACCES: 'the permission is missing',
  EPERM: 'the permission is missing',
  ENOENT: 'a file or folder is missing',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  EDQUOT: "the user's disk quota is used up",
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'a file has the name of a folder that is needed',
  ELOOP: 'a symbolic link is where none may be',
  ENAMETOOLONG: 'its path is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** A failed file operation below `directory` as a refusal; any other failure unchanged. */
export const inPlainWords = (error: unknown, directory: string) => {
  if (!(error instanceof Error) || error instanceof Refusal) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const cause = code === undefined ? undefined : causes[code];
  if (cause === undefined) return error;
  const user = process.geteuid?.() === 0 ? 'root' : `this user (uid ${process.geteuid?.()})`;
  return new Refusal(
    'unavailable',
    `The data directory ${directory} cannot be used by ${user}: ${cause}` +
      `${path ? ` at ${path}` : ''}. Correct that, or name another data directory.`,
  );
};
