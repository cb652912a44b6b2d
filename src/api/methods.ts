import { NotFoundError } from 'elysia';
import { Refusal } from '../base/refusal.ts';
import { matches } from '../http/routes.ts';
import { targetOf } from '../http/target.ts';

type Routes = { routes: { path: string; method: string }[] };

/**
 * A known path with another method is answered with 405 and `Allow` (docs/contract.md, Requests).
 * Returns any other failure unchanged.
 */
export const refuseMethods = (app: Routes, request: Request, error: unknown): unknown => {
  if (!(error instanceof NotFoundError)) return error;
  const { pathname } = targetOf(request);
  const methods = new Set(
    app.routes.filter(({ path }) => matches(path, pathname)).map(({ method }) => method),
  );
  if (methods.size === 0) return error;
  if (methods.has('GET')) methods.add('HEAD');
  const allow = [...methods].sort().join(', ');
  return new Refusal('method_not_allowed', `This path takes ${allow}.`, { allow });
};
