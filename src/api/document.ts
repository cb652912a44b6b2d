import { readSettings } from '../config.ts';
import { openDatabase } from '../postgres/pool.ts';
import { api } from './api.ts';
import { openApiPath } from './openapi.ts';

/** The API description as the server publishes it. Needs no database. */
export const openApiDocument = async (): Promise<unknown> => {
  const database = openDatabase('postgres://nobody@localhost/none');
  const app = api(database, readSettings({}), async () => undefined);
  const answer = await app.handle(new Request(`http://localhost${openApiPath}`));
  await database.close();
  return answer.json();
};
