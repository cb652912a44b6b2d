/** @jsxImportSource preact */

import type { Operation } from './description.ts';
import { headerName } from './operation-text.ts';
import { pretty } from './requests.ts';

/**
 * A form that sends an operation's request from the reader's browser, with a key that they paste.
 * Nothing of it has a name, so that no browser sends it by itself, and without a script there is none.
 */
export const Try = ({ operation }: { operation: Operation }) => {
  const { method, path, parameters, body, scopes } = operation;
  const isWrite = method !== 'GET' && scopes !== undefined;
  const asked = parameters.filter(({ name }) => name !== 'prefer');
  return (
    <section class="panel only-scripted" aria-labelledby="try">
      <header>
        <h2 id="try">Try it</h2>
      </header>
      <form
        class="body try"
        data-script="try"
        data-method={method}
        data-path={path}
        autocomplete="off"
      >
        {scopes !== undefined && (
          <div class="field">
            <label for="try-key">API key</label>
            <input
              class="input mono"
              id="try-key"
              type="password"
              placeholder="mh_…"
              autocomplete="off"
              aria-describedby="try-key-hint"
            />
            <span class="hint small" id="try-key-hint">
              It stays in the memory of this page, and is gone when you leave it.
            </span>
          </div>
        )}
        {asked.map((one) => (
          <div class="field">
            <label for={`try-${one.name}`}>
              {one.in === 'header' ? headerName(one.name) : one.name}
            </label>
            <input
              class="input mono"
              id={`try-${one.name}`}
              data-in={one.in}
              data-for={one.name}
              required={one.isRequired}
              placeholder={one.initial === undefined ? '' : String(one.initial)}
            />
          </div>
        ))}
        {body && (
          <div class="field">
            <label for="try-body">Body</label>
            <textarea class="input mono" id="try-body" rows={8} spellcheck={false}>
              {pretty(withoutOwnFields(body.example))}
            </textarea>
          </div>
        )}
        {isWrite && (
          <label class="check">
            <input type="checkbox" id="try-dry" checked />
            <span>
              Store nothing (<code>Prefer: dry-run</code>)
            </span>
          </label>
        )}
        <div class="row">
          <button class="button primary" type="submit">
            Send request
          </button>
        </div>
        <div class="answered" role="status" />
      </form>
    </section>
  );
};

/** An example without custom fields: their names are each firm's own, so the first try would be refused. */
const withoutOwnFields = (example: unknown) => {
  const { customFields: _, ...others } = (example ?? {}) as { customFields?: unknown };
  return others;
};
