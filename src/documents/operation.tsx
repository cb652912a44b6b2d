/** @jsxImportSource preact */
import { Icon } from '../app/icon.tsx';
import type { Field, Operation } from './description.ts';
import { Line } from './markdown.tsx';
import { keyText, requestNotes, sectionsOf } from './operation-text.ts';
import { pretty, requestsOf } from './requests.ts';
import { pathOf, type Resource, referencePath } from './resource.ts';
import { Sample } from './sample.tsx';
import { anchorOf } from './sections.ts';
import { Try } from './try.tsx';

/** Every operation, by what it is about. */
export const OverviewPage = ({ resources }: { resources: Resource[] }) => (
  <div class="doc one">
    <article class="text">
      <h1>All operations</h1>
      {resources.map(({ title, path, operations }) => (
        <>
          <h2 id={anchorOf(title)}>
            <a class="name" href={path}>
              {title}
            </a>
          </h2>
          <Endpoints operations={operations} />
        </>
      ))}
    </article>
  </div>
);

/** A resource's page: what it is, and what can be done with it. */
export const ResourcePage = ({
  resource: { title, words, operations },
}: {
  resource: Resource;
}) => (
  <div class="doc one">
    <article class="text">
      <h1>{title}</h1>
      <p class="lede">
        <Line text={words} />
      </p>
      <Endpoints operations={operations} />
    </article>
  </div>
);

const Endpoints = ({ operations }: { operations: Operation[] }) => (
  <div class="table-box">
    <table class="table folds endpoints">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Method and path</th>
          <th scope="col">Scope</th>
        </tr>
      </thead>
      <tbody>
        {operations.map((one) => (
          <tr>
            <th scope="row" class="line-1 whole">
              <a href={pathOf(one)}>{one.title}</a>
            </th>
            <td class="line-2 whole">
              <Method of={one} /> <code>{one.path}</code>
            </td>
            <td class="muted">{scopeWords(one)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const scopeWords = ({ scopes }: Operation) =>
  scopes ? scopes.join(' or ') || 'any key' : 'no key';

/** An operation's page: what it takes and answers beside an example, and a form to try it. */
export const OperationPage = ({
  operation,
  resource,
}: {
  operation: Operation;
  resource: Resource;
}) => (
  <div class="reference">
    <article class="text">
      <nav class="crumbs" aria-label="Where this is">
        <a href={referencePath}>Reference</a>
        <Icon name="chevron-right" />
        <a href={resource.path}>{resource.title}</a>
      </nav>
      <h1>{operation.title}</h1>
      <p class="lede">
        <Line text={operation.description} />
      </p>
      <p class="endpoint">
        <Method of={operation} />
        <code>{operation.path}</code>
      </p>
      <p>
        <Line text={keyText(operation)} />
      </p>
      {requestNotes(operation).map((text) => (
        <p>
          <Line text={text} />
        </p>
      ))}
    </article>
    <div class="beside-code">
      <Sample title="Request" codes={requestsOf(operation)} />
      {operation.answer.example !== undefined && (
        <Sample
          title={`Answer ${operation.answer.status}`}
          codes={[{ language: 'json', text: pretty(operation.answer.example) }]}
        />
      )}
      <Try operation={operation} />
    </div>
    <div class="text">
      {sectionsOf(operation).map(({ title, fields }) => (
        <>
          <h2 id={anchorOf(title)}>{title}</h2>
          <Fields fields={fields} isSent />
        </>
      ))}
      <h2 id={`answer-${operation.answer.status}`}>Answer {operation.answer.status}</h2>
      <p>
        <Line text={operation.answer.words} />
      </p>
      <Fields fields={operation.answer.fields} />
      {operation.refusals.length > 0 && <Errors operation={operation} />}
    </div>
  </div>
);

/** What the server sends to others. */
export const MessagePage = ({ messages }: { messages: Operation[] }) => (
  <div class="doc one">
    <article class="text">
      <h1>Messages of webhooks</h1>
      {messages.map((one) => (
        <>
          <h2 id={anchorOf(one.title)}>{one.title}</h2>
          <p>
            <Line text={one.description} />
          </p>
          {one.body?.example !== undefined && (
            <Sample
              title={one.title}
              codes={[{ language: 'json', text: pretty(one.body.example) }]}
            />
          )}
          <Fields fields={one.body?.fields ?? []} />
        </>
      ))}
    </article>
  </div>
);

export const Method = ({ of: { method } }: { of: Operation }) => (
  <span class={`method ${method.toLowerCase()}`}>{method}</span>
);

/** What is sent or answered, field by field. Of what is sent it says what must be there. */
const Fields = ({ fields, isSent = false }: { fields: Field[]; isSent?: boolean }) =>
  fields.length === 0 ? null : (
    <dl class="params">
      {fields.map(({ name, kind, isRequired, words, within }) => (
        <div>
          <dt>
            <code>{name}</code>
            <span class="kind">{kind}</span>
            {isSent && isRequired && <span class="must">required</span>}
          </dt>
          <dd>
            {words && <Line text={words} />}
            {within.length > 0 && (
              <details class="fold" open={name === 'data' || within.length < 3}>
                <summary>
                  <Icon name="chevron-right" />
                  What {name} has
                </summary>
                <Fields fields={within} isSent={isSent} />
              </details>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );

const Errors = ({ operation: { refusals } }: { operation: Operation }) => (
  <>
    <h2 id="errors">Errors</h2>
    <div class="table-box">
      <table class="table folds errors">
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {refusals.map(({ status, code, words }) => (
            <tr>
              <th scope="row" class="line-1">
                <a href={`/docs/errors#${code}`}>
                  <code>{code}</code>
                </a>
              </th>
              <td class="line-1 muted">{status}</td>
              <td class="line-2 whole">
                <Line text={words} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </>
);
