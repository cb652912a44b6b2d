import { readSettings } from '../config.ts';
import { openDatabase } from '../postgres/pool.ts';
import { api } from './api.ts';
import { openApiPath } from './openapi.ts';

type Api = { handle(request: Request): Promise<Response> };

/** The API description as this door publishes it. */
export const describeApi = async (door: Api): Promise<unknown> =>
  (await door.handle(new Request(`http://localhost${openApiPath}`))).json();

/** The API description as the server publishes it. Needs no database. */
export const openApiDocument = async (): Promise<unknown> => {
  const database = openDatabase('postgres://nobody@localhost/none');
  const description = await describeApi(api(database, readSettings({}), async () => undefined));
  await database.close();
  return description;
};
