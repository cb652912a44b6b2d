/** By the code of the operating system, for the file it happened to. */
const reasons: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no ${path}. Correct the name.`,
  EACCES: (path) =>
    `This user may not use ${path}. Name another place, or run the command as its owner.`,
  EPERM: (path) =>
    `This user may not use ${path}. Name another place, or run the command as its owner.`,
  EISDIR: (path) => `The path ${path} is a folder. Name a file.`,
  ENOTDIR: (path) => `A part of the path ${path} is a file, not a folder. Correct the name.`,
  EEXIST: (path) => `There is ${path} already. Name another.`,
  ENAMETOOLONG: (path) => `The name ${path} is too long. Choose a shorter one.`,
  ELOOP: (path) => `The path ${path} leads in a circle of links. Name another.`,
  EROFS: (path) => `The disk of ${path} can only be read. Name another place.`,
  ENOSPC: (path) => `The disk is full at ${path}. Free some space and try again.`,
  EFBIG: (path) =>
    `The file ${path} would be larger than this user or disk allows. Name another place.`,
  EDQUOT: (path) => `The disk quota is used up at ${path}. Free some space and try again.`,
};

/** The failure of a file operation as one sentence that says what to do; undefined for any other failure. */
export const fileSentenceOf = (error: unknown): string | undefined => {
  const { code = '', path } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return reasons[code]?.(path ?? 'what it writes to');
};
