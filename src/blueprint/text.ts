import { parseDocument } from 'yaml';
import { invalid } from '../base/refusal.ts';

/**
 * Reads a blueprint's text: YAML, or JSON, which YAML includes. Throws `Refusal` naming the line
 * that cannot be read, and why. A part that appears twice is refused.
 */
export const parseBlueprint = (text: string): unknown => {
  const document = parseDocument(text, { logLevel: 'silent' });
  const [error] = document.errors;
  if (error) throw unreadable(lineWords(error.linePos?.[0]), reasonIn(error.message));
  try {
    return document.toJS();
  } catch {
    throw unreadable('', 'an alias in it leads nowhere, or too far');
  }
};

const unreadable = (line: string, reason: string) =>
  invalid(
    `The blueprint is neither valid JSON nor valid YAML: ${line}${reason}. Compare it with \`matterhorn firm example\`.`,
  );

const lineWords = (position: { line: number; col: number } | undefined) =>
  position ? `line ${position.line}, column ${position.col}: ` : '';

/** The reason in `Tabs are not allowed at line 1, column 1:`, without position and excerpt. */
const reasonIn = (message: string) => {
  const [first = ''] = message.split('\n');
  const reason = first.replace(/ at line \d+, column \d+:?$/, '');
  return reason.charAt(0).toLowerCase() + reason.slice(1);
};
