import {
  BadRequestException,
  Controller,
  type DynamicModule,
  Get,
  HttpCode,
  HttpException,
  type INestApplication,
  Inject,
  Module,
  Post,
  type RawBodyRequest,
  Req,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Webhook } from 'standardwebhooks';

export interface AppBackendOptions {
  /** Address of Pulsekeep. */
  readonly pulsekeep: string;
  /** Key of the role `backend` (ADMIN_API_KEYS). */
  readonly key: string;
  /** Secret of the subscription, `whsec_...`. */
  readonly secret: string;
  /** Your own sign-in: id of the signed-in user. */
  readonly userOf: (request: IncomingRequest) => string;
  /** Stores a change; do the work later. */
  readonly onChange: (change: unknown) => Promise<void>;
}

export interface IncomingRequest {
  readonly headers: Readonly<Record<string, string>>;
}

const OPTIONS = Symbol('options');

@Controller('health')
class HealthController {
  constructor(@Inject(OPTIONS) private readonly options: AppBackendOptions) {}

  /** The app signs in to the SDK with this token. The account is made on first use. */
  @Post('sign-in-token')
  signInToken(@Req() request: IncomingRequest): Promise<object> {
    return this.call('POST', `/admin/v1/accounts/${this.userOf(request)}/sign-in-token`, {});
  }

  @Get('today')
  today(@Req() request: IncomingRequest): Promise<object> {
    return this.call('GET', `/v1/accounts/${this.userOf(request)}/today`);
  }

  private userOf(request: IncomingRequest): string {
    return encodeURIComponent(this.options.userOf(request));
  }

  private async call(method: string, path: string, body?: object): Promise<object> {
    const { pulsekeep, key } = this.options;
    const response = await fetch(`${pulsekeep}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as object;
    if (!response.ok) throw new HttpException(answer, response.status);
    return answer;
  }
}

@Controller('pulsekeep')
class PushController {
  private readonly webhook: Webhook;
  /** Keep these ids in your database, and store an id in the transaction that stores its change. */
  private readonly seen = new Set<string>();

  constructor(@Inject(OPTIONS) private readonly options: AppBackendOptions) {
    this.webhook = new Webhook(options.secret);
  }

  @Post()
  @HttpCode(204)
  async receive(@Req() request: RawBodyRequest<IncomingRequest>): Promise<void> {
    const push = this.verified(request);
    const id = request.headers['webhook-id'] ?? '';
    if (this.seen.has(id)) return;
    await this.options.onChange(push);
    this.seen.add(id);
  }

  private verified({ rawBody, headers }: RawBodyRequest<IncomingRequest>): unknown {
    try {
      return this.webhook.verify(rawBody ?? '', headers);
    } catch {
      throw new BadRequestException();
    }
  }
}

@Module({})
class AppBackendModule {
  static register(options: AppBackendOptions): DynamicModule {
    const providers = [{ provide: OPTIONS, useValue: options }];
    return { module: AppBackendModule, controllers: [HealthController, PushController], providers };
  }
}

/** The part of an app's backend that uses Pulsekeep. The signature is of the exact bytes, hence `rawBody`. */
export async function appBackend(options: AppBackendOptions): Promise<INestApplication> {
  const module = AppBackendModule.register(options);
  const app = await NestFactory.create<NestExpressApplication>(module, { rawBody: true, logger: false });
  // A push of the payload `whole` has up to 1,000 samples; the default is 100 kB.
  app.useBodyParser('json', { limit: '1mb' });
  return app;
}
