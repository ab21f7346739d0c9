import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { adminScheme } from '../../http/auth/admin-auth.guard.js';
import { appScheme } from '../../http/auth/app-auth.guard.js';
import { installedDocument } from '../../http/server/installed-document.js';
import { withOpenSchemas } from '../../http/server/openapi.js';
import { webhookPaths } from '../../ingest/inbox/webhooks.route.js';
import { version } from '../../platform/config/versions.js';
import { type BodyExamples, withBodyExamples } from './body-examples.js';
import { withContract } from './openapi-contract.js';
import { showPatterns } from './openapi-patterns.js';
import { withRecordSchemas } from './record-schemas.js';

/** In the order of the document: app, operators by frequency of use, machines. */
const tags = {
  me: "Customer's app: the account of the access token",
  backend: "Customer's backend: an account as its app sees it",
  labs: 'App and operators: lab tests and appointments before an order',
  overview: 'Operators: system overview and alarms',
  accounts: 'Operators: accounts, their upstream users, sources and tokens',
  records: 'Operators: stored health records',
  inspection: 'Operators: timeline, coverage and explanations of an account',
  orders: 'Operators: orders, transactions, redraws and results',
  subscriptions: 'Operators: endpoints that changes are pushed to',
  sync: 'Operators: pulls and their progress',
  audit: 'Operators: proofs that stored days are what upstream has',
  messages: 'Operators: messages delivered by upstream',
  'access-log': 'Operators: who accessed which account, and how',
  console: 'Operators: sign-in and sessions of the console',
  webhooks: 'Deliveries from upstream',
  changes: 'Other services: change feed, snapshots and consumer positions',
  probes: 'Orchestration and monitoring of the process',
} as const;

const description = `Maps accounts to upstream users, issues sign-in and link tokens, stores data from signed webhooks
and pulls, and tracks lab orders with their redraws. Times are RFC 3339 in UTC with milliseconds. \`start\` is inclusive
and \`end\` exclusive, like \`from\` and \`to\` of messages and recoveries; \`first_day\` and \`last_day\` are days, both inclusive. Lists are paged: pass
\`next_cursor\` as \`cursor\` to get the next page. Errors are \`application/problem+json\`; branch on \`code\`.
Operator operations have the lowest sufficient ranked role in \`x-role\`, and all permitted roles in \`x-roles\`.`;

/** Builds the document of these routes as written to `openapi.json`. `examples` are of complete bodies. */
export function openApiDocument(app: NestFastifyApplication, examples: BodyExamples = {}): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pulsekeep')
    .setDescription(description.replaceAll('\n', ' '))
    .setVersion(version)
    .addServer('/', 'This server')
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: "Access token of the customer's app" }, appScheme)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'key', description: 'Operator key' }, adminScheme);
  for (const [name, text] of Object.entries(tags)) builder.addTag(name, text);
  showPatterns();
  const document = SwaggerModule.createDocument(app, builder.build());
  const whole = { ...document, paths: { ...webhookPaths, ...document.paths } };
  return withBodyExamples(withContract(withRecordSchemas(withOpenSchemas(whole))), examples);
}

/**
 * Serves `openapi.json`, and at `/docs` a UI of it that loads no external resources. If the file was not installed, the
 * first request builds the document without examples. Call before the application is initialised.
 */
export function setupOpenApi(app: NestFastifyApplication): void {
  let made: OpenAPIObject | undefined;
  let text: string | undefined;
  const document = (): OpenAPIObject => (made ??= installedDocument() ?? openApiDocument(app));
  // Written once: anyone may request it, and writing it takes 6 ms.
  app.getHttpAdapter().get('/openapi.json', (_request, reply: FastifyReply) => {
    text ??= JSON.stringify(document());
    return reply.type('application/json').send(text);
  });
  SwaggerModule.setup('docs', app, document, {
    raw: false,
    customSiteTitle: 'Pulsekeep API',
    // The validator badge would send the document's URL to a public service.
    swaggerOptions: { validatorUrl: null, persistAuthorization: false },
  });
}
