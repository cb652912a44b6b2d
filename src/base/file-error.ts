/** By the operating system's error code; `path` is the file it happened to. */
const reasons: Record<string, (path: string) => string> = {
  ENOENT: (path) => `The file or folder ${path} does not exist. Correct the name.`,
  EACCES: (path) =>
    `This user may not use ${path}. Choose another path, or run the command as its owner.`,
  EPERM: (path) =>
    `This user may not use ${path}. Choose another path, or run the command as its owner.`,
  EISDIR: (path) => `The path ${path} is a folder. Name a file.`,
  ENOTDIR: (path) => `A part of the path ${path} is a file, not a folder. Correct the name.`,
  EEXIST: (path) => `The file ${path} already exists. Choose another name.`,
  ENAMETOOLONG: (path) => `The name ${path} is too long. Choose a shorter one.`,
  ELOOP: (path) => `The path ${path} is a loop of links. Choose another.`,
  EROFS: (path) => `The disk of ${path} is read-only. Choose another path.`,
  ENOSPC: (path) => `The disk is full at ${path}. Free some space and try again.`,
  EFBIG: (path) =>
    `The file ${path} would be larger than this user or disk allows. Choose another path.`,
  EDQUOT: (path) => `The disk quota is used up at ${path}. Free some space and try again.`,
};

/**
 * A failed file operation as one sentence that says what to do; undefined for any other failure.
 */
export const fileSentenceOf = (error: unknown): string | undefined => {
  const { code = '', path } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return reasons[code]?.(path ?? 'what it writes to');
};
