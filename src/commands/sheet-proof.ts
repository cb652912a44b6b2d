import { fingerprintOf } from '../base/installation-key.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { proveSheet } from '../reports/signed-sheet.ts';
import { keyFor } from './installation.ts';
import { type CommonOptions, print, type Terminal } from './terminal.ts';

/**
 * `audit verify FILE`: proves that a saved control sheet is as it was signed, without a database. Throws `Refusal` for
 * another file, for a changed one, for one that another installation than this has signed, and beside the options that are
 * about the log.
 */
export const verifySheet = async (
  terminal: Terminal,
  options: CommonOptions & { against?: string },
  file: string,
) => {
  if (options.against !== undefined || options.firm !== undefined) {
    throw invalid('Name either a control sheet, or --firm and --against for the audit log.');
  }
  const signed = proveSheet(await textOf(file));
  const key = fingerprintOf(signed.publicKey);
  const own = keyFor(terminal, options);
  if (own && own.publicKey !== signed.publicKey) {
    throw new Refusal(
      'conflict',
      `${file} was signed with the key ${key}. The key of this installation is ${fingerprintOf(own.publicKey)}. Find out who made the file.`,
    );
  }
  const { firmName, memberName, madeAt, from, to, dates } = signed;
  const found = { firmName, memberName, madeAt, from, to, dates: dates.length, key };
  print(terminal, options, { sheet: { ...found, isOurs: own !== undefined } }, [
    `${file} is as it was signed: the control sheet of ${firmName} from ${from} to ${to}, ${dates.length === 1 ? '1 date' : `${dates.length} dates`}, made at ${madeAt} by ${memberName}.`,
    own
      ? `This installation signed it, key ${key}.`
      : `It was signed with the key ${key}. \`matterhorn audit key\` on the server says whether that is its key.`,
  ]);
};

/** A larger file is no control sheet. */
const largestFile = 16 * 1024 * 1024;

const textOf = async (path: string): Promise<string> => {
  const file = Bun.file(path);
  if (file.size > largestFile) throw invalid(`${path} is too large for a control sheet.`);
  return file.text().catch((error) => {
    throw Object.assign(error as Error, { path });
  });
};
