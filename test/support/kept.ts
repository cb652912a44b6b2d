/**
 * What a process of tests keeps on purpose from one file to the next, and what it would leave behind
 * if nobody stopped it. support/left-behind.ts looks at it after each file.
 */

/** The ports of servers that all files of this process share. */
export const keptPorts = new Set<number>();

/** Runners of jobs that were started and not stopped yet. */
export const runningRunners = new Set<object>();

/** Whether a temporary file is the browser's, which all files of this process share and which ends with it. */
export const isOfBrowser = (name: string) =>
  /^(playwright|\.?org\.chromium|\.?com\.google)/i.test(name);
