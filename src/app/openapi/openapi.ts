import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { adminScheme } from '../../http/auth/admin-auth.guard.js';
import { appScheme } from '../../http/auth/app-auth.guard.js';
import { withOpenSchemas } from '../../http/server/openapi.js';
import { webhookPaths } from '../../ingest/inbox/webhooks.route.js';
import { version } from '../../platform/config/versions.js';
import { withContract } from './openapi-contract.js';
import { withExamples } from './openapi-examples.js';
import { showPatterns } from './openapi-patterns.js';

const tags = {
  me: "For the customer's app: one person, named by the access token",
  webhooks: 'For upstream',
  overview: 'For operators: the state of the whole',
  accounts: 'For operators: accounts, their upstream users, sources and tokens',
  records: 'For operators: stored health records',
  inspection: 'For operators: what is known of an account, and why',
  messages: 'For operators: what upstream delivered',
  sync: 'For operators: pulls and their progress',
  orders: 'For operators: orders, their transactions, redraws and results',
  labs: 'For the app and operators: appointments and lab tests, before an order',
  'access-log': 'For operators: who did or read what about whom',
  probes: 'For whoever runs the process',
} as const;

const description = `Maps accounts to upstream users, issues sign-in and link tokens, takes signed webhooks and
backfills into its own store, and keeps orders with their redraws. Times are RFC 3339 in UTC with milliseconds. Lists
are pages: pass \`next_cursor\` as \`cursor\` for the next one. Errors are \`application/problem+json\`; branch on
\`code\`. Operations for operators name the
least of the ranked roles they need in \`x-role\`, and every role that may call them in \`x-roles\`.`;

/** Everything that is served, as OpenAPI 3.1. */
export function openApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pulsekeep')
    .setDescription(description.replaceAll('\n', ' '))
    .setVersion(version)
    .addServer('/', 'Where this document is served')
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: "The customer's own access token" }, appScheme)
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'key', description: 'The key of an operator' },
      adminScheme,
    );
  for (const [name, text] of Object.entries(tags)) builder.addTag(name, text);
  showPatterns();
  const document = SwaggerModule.createDocument(app, builder.build());
  const whole = { ...document, paths: { ...webhookPaths, ...document.paths } };
  return withContract(withExamples(withOpenSchemas(whole)));
}

/**
 * Serves the document at `/openapi.json` and a browsable form at `/docs`, which loads nothing from elsewhere. It is
 * built at the first request. Call once the application is made and before it is initialised.
 */
export function setupOpenApi(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Pulsekeep API',
    // The validator badge would send the address of the document to a public service.
    swaggerOptions: { validatorUrl: null, persistAuthorization: false },
  });
}
