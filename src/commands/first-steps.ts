import { type CommonOptions, commandWord, nextCommand, type Terminal } from './terminal.ts';

/** What to do next where there is no firm yet: three commands, to be pasted as they are. */
export const firstSteps = (terminal: Terminal, options: CommonOptions): string[] => [
  'There is no firm yet. In another terminal print an example, change it to fit yours, apply it, and make a key:',
  `  ${commandWord()} firm example > firm.yaml`,
  `  ${nextCommand(terminal, options, 'firm apply firm.yaml')}`,
  `  ${nextCommand(terminal, options, 'key create --member EMAIL --scope leads:read leads:write')}`,
];
