/** Who could change where a path leads. Root must know that before it uses a folder. */
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const maxLinks = 40;

type Step = { path: string; uid: number; isOpen: boolean };

/**
 * Every folder, link and file on the way to a path, from the top, as far as it exists. `isOpen`:
 * users other than its owner may put something else into the folder.
 */
export const pathOwners = (path: string): Step[] => {
  const steps: Step[] = [];
  let at = '/';
  let links = 0;
  const left = ['/', ...resolve(path).split('/').filter(Boolean)];
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return steps;
    if (found.isSymbolicLink()) {
      steps.push({ path: next, uid: found.uid, isOpen: false });
      if ((links += 1) > maxLinks) return steps;
      const target = readlinkSync(next);
      if (target.startsWith('/')) at = '/';
      left.unshift(...target.split('/').filter((part) => part !== '' && part !== '.'));
      continue;
    }
    // In a folder like /tmp, only the owner of an entry may remove it.
    const isSticky = (found.mode & 0o1000) !== 0;
    const isOpen =
      found.isDirectory() &&
      !isSticky &&
      ((found.mode & 0o002) !== 0 || ((found.mode & 0o020) !== 0 && found.gid !== 0));
    steps.push({ path: next, uid: found.uid, isOpen });
    at = next;
  }
  return steps;
};

/** What on the way to a path belongs to users other than root, or is open to them. */
export const strangersOn = (path: string): Step[] =>
  pathOwners(path).filter(({ uid, isOpen }) => uid !== 0 || isOpen);
