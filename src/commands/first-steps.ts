import { resolve } from 'node:path';
import { type CommonOptions, commandWord, nextCommand, type Terminal } from './terminal.ts';

/**
 * What to do next if there is no firm yet: a page to open, or three commands to paste into any
 * terminal.
 */
export const firstSteps = (
  terminal: Terminal,
  options: CommonOptions,
  setupLink: string,
): string[] => {
  const here = { ...options, data: resolve(options.data) };
  const same = terminal.environment.DATABASE_URL ? ', with the same DATABASE_URL,' : '';
  return [
    `There is no firm yet. Open this address to set it up: ${setupLink}`,
    `Or in another terminal${same} print an example, change it to fit yours, apply it, and make a key:`,
    `  ${commandWord()} firm example > firm.yaml`,
    `  ${nextCommand(terminal, here, 'firm apply firm.yaml')}`,
    `  ${nextCommand(terminal, here, 'key create --member EMAIL --scope leads:read leads:write')}`,
  ];
};
