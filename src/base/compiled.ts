/** Whether this is the executable, whose files Bun mounts: at B: on Windows, at /$bunfs elsewhere. */
export const isCompiled = /^(\/\$bunfs\/|B:)/.test(import.meta.dir);
