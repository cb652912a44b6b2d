/** @jsxImportSource preact */
import { type Description, messagesIn } from './description.ts';
import { MessagePage, OperationPage, OverviewPage, ResourcePage } from './operation.tsx';
import { messageText, operationText, overviewText, resourceText } from './operation-text.ts';
import type { Page } from './page.ts';
import { pathOf, referencePath, resourcesIn } from './resource.ts';
import { firstSentence } from './sections.ts';

/** The reference: a page for each resource and each operation of the API's description. */
export const referenceOf = (description: Description): Page[] => {
  const resources = resourcesIn(description);
  const overview: Page = {
    path: referencePath,
    title: 'All operations',
    summary: 'Every operation of the API on one page.',
    group: 'Reference',
    markdown: overviewText(resources),
    main: () => <OverviewPage resources={resources} />,
  };
  const pages = resources.flatMap((resource): Page[] => [
    {
      path: resource.path,
      title: resource.title,
      summary: firstSentence(resource.words),
      group: 'Reference',
      markdown: resourceText(resource),
      main: () => <ResourcePage resource={resource} />,
    },
    ...resource.operations.map(
      (operation): Page => ({
        path: pathOf(operation),
        title: operation.title,
        summary: `\`${operation.method} ${operation.path}\``,
        group: 'Reference',
        within: resource.path,
        markdown: operationText(operation),
        main: () => <OperationPage operation={operation} resource={resource} />,
      }),
    ),
  ]);
  return [overview, ...pages, ...messagePages(description)];
};

/** What the server sends by itself, if the description says that it does. */
const messagePages = (description: Description): Page[] => {
  const messages = messagesIn(description);
  if (messages.length === 0) return [];
  return [
    {
      path: `${referencePath}/messages`,
      title: 'Messages of webhooks',
      summary: 'What the server sends to the address of a webhook.',
      group: 'Reference',
      markdown: messageText(messages),
      main: () => <MessagePage messages={messages} />,
    },
  ];
};
