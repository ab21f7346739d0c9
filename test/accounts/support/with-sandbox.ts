import type { Type } from '@nestjs/common';
import type { SandboxOptions } from '../../../sandbox/options.js';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { AccountAdminModule } from '../../../src/account-admin/account-admin.module.js';
import { AccountImportModule } from '../../../src/account-import/account-import.module.js';
import { ConnectionsModule } from '../../../src/connections/connections.module.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { type FeatureApp, type FeatureOptions, featureApp, startOfTest } from './feature-app.js';

const accountModules = [AccountAdminModule, AccountImportModule, ConnectionsModule];

/** A sandbox that stands still, a store, and as many services on both as a test asks for. */
export class Surroundings {
  private readonly apps: FeatureApp[] = [];

  private constructor(
    readonly sandbox: Sandbox,
    readonly store: TestStore,
  ) {}

  static async open(options: Partial<SandboxOptions> = {}): Promise<Surroundings> {
    const sandbox = await startSandbox({ timeScale: 0, startAt: startOfTest, ...options });
    const store = await testStore();
    return new Surroundings(sandbox, store);
  }

  async service(options: FeatureOptions = {}, modules: Type<unknown>[] = accountModules): Promise<FeatureApp> {
    const env = { UPSTREAM_BASE_URL: this.sandbox.url, ...options.env };
    const app = await featureApp(modules, { ...options, store: this.store, env });
    this.apps.push(app);
    return app;
  }

  async users(): Promise<string[]> {
    const { users } = await this.sandbox.control.truthUsers();
    return users.map((user) => user.user_id);
  }

  async callsTo(operation: string): Promise<number> {
    return (await this.sandbox.control.calls()).counts[operation] ?? 0;
  }

  async close(): Promise<void> {
    for (const app of this.apps) await app.close();
    await this.store.close();
    await this.sandbox.close();
  }
}

/** The code an operation of ours fails with, or `done`. */
export async function codeOf(outcome: Promise<unknown>): Promise<unknown> {
  try {
    await outcome;
    return 'done';
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}
