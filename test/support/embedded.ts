import type { RoleAddress } from '../../src/postgres/embedded/roles.ts';

/** The folder of an embedded Postgres' socket, which stands for a host. */
export const socketFolder = ({ path }: Pick<RoleAddress, 'path'>): string =>
  path.slice(0, path.lastIndexOf('/'));

/** The address of an embedded Postgres as `DATABASE_URL` takes it. */
export const embeddedUrl = ({ path, username, password, database }: RoleAddress): string =>
  `postgres://${username}:${encodeURIComponent(password)}@${encodeURIComponent(socketFolder({ path }))}/${database}`;
