import type { Backups } from '../backup/schedule.ts';
import type { InstallationKey } from '../base/installation-key.ts';

/** What a server knows of the installation that it belongs to, beside its settings. */
export type Installation = {
  /** What signs the audit log and the backups. */
  key?: InstallationKey | undefined;
  /** The file that the key is in, or should be. */
  keyFile?: string | undefined;
  /** Where the embedded database is; undefined with DATABASE_URL. */
  dataDirectory?: string | undefined;
  /** The ports that this server itself answers at. */
  ownPorts?: () => number[];
  /** The backups in the folder of BACKUP_DIR; undefined where none is set. */
  backups?: Backups | undefined;
};
