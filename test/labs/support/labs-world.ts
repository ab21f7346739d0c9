import { LabsModule } from '../../../src/labs/labs.module.js';
import {
  type Answer,
  accessToken,
  adminKeys,
  type FeatureApp,
  featureApp,
  startOfTest,
} from '../../accounts/support/feature-app.js';
import { ScriptedServer } from '../../upstream/support/scripted-server.js';

/** Labs over the platform, with an upstream that says what it is told to. */
export class LabsWorld {
  private constructor(
    readonly upstream: ScriptedServer,
    readonly service: FeatureApp,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<LabsWorld> {
    const upstream = await ScriptedServer.start();
    const service = await featureApp([LabsModule], { env: { UPSTREAM_BASE_URL: upstream.url, ...env } });
    return new LabsWorld(upstream, service);
  }

  async app(path: string, body: unknown): Promise<Answer> {
    const token = await accessToken('cust-1', this.service.clock.now());
    return this.service.send(`POST /v1/labs/${path}`, { token, body });
  }

  operator(path: string, body: unknown): Promise<Answer> {
    return this.service.send(`POST /admin/v1/labs/${path}`, { token: adminKeys.viewer, body });
  }

  /** Calls upstream got, as it got them. */
  get calls(): number {
    return this.upstream.received.length;
  }

  get sent(): unknown {
    return JSON.parse(this.upstream.last.body) as unknown;
  }

  advance(seconds: number): void {
    this.service.clock.advance(seconds * 1000);
  }

  figures(): Promise<string> {
    return this.service.metrics.registry.metrics();
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.upstream.close();
  }
}

/** A time of upstream, so many seconds after the test began. */
export function at(seconds: number): string {
  return new Date(startOfTest + seconds * 1000).toISOString().replace('.000Z', '+00:00');
}
