import { accessSync, constants } from 'node:fs';
import { isThrowAway } from './runtime.ts';

/**
 * The server's settings. They are given on its command line, so that neither an edited file nor
 * ALTER SYSTEM can open a port or trade durability for speed.
 */
export const settings = (): Record<string, string> => {
  // Without these, a kill loses nothing that was acknowledged; a power cut does.
  const throughPowerCuts = isThrowAway() ? 'off' : 'on';
  return {
    listen_addresses: '',
    // Relative to the cluster, where Postgres works: a socket's path must be short.
    unix_socket_directories: '../run',
    unix_socket_permissions: '0700',
    port: '5432',
    fsync: throughPowerCuts,
    full_page_writes: throughPowerCuts,
    synchronous_commit: 'on',
    wal_level: 'replica',
    max_wal_size: '256MB',
    // Many servers of the tests work on one.
    max_connections: isThrowAway() ? '300' : '100',
    // The operating system caches the files, too, and gives that memory back. Postgres never does.
    shared_buffers: '64MB',
    // Each look starts a process, also at night. How much the tables hold, the server looks after itself
    // (`postgres/statistics.ts`); what is left is to remove old rows.
    autovacuum_naptime: isThrowAway() ? '1min' : '30s',
    // Nobody replicates from here: no process waits for it.
    max_logical_replication_workers: '0',
    dynamic_shared_memory_type: isWritable('/dev/shm') ? 'posix' : 'mmap',
    io_method: 'sync',
    // With this method a process reads one piece at a time.
    io_max_concurrency: '4',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Statements and values are the firm's secrets. They stay out of the log.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    log_destination: 'stderr',
    logging_collector: 'off',
  };
};

const isWritable = (folder: string) => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
