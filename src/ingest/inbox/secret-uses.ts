import { createHash, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { WebhookConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { OnceFor } from '../../platform/platform/once-for.js';

/** Uses of a webhook secret seen by this process. Times in epoch milliseconds. */
export interface SecretUse {
  /** First characters of the SHA-256 of the secret's bytes. */
  readonly fingerprint: string;
  /** When this process first loaded it. */
  readonly knownSince: number;
  /** Receipt of the last delivery that the secret signed; null if there was none since `knownSince`. */
  readonly lastUsedAt: number | null;
}

/** Tracks which webhook secrets sign deliveries to this process; shows when a rotated secret can be removed. */
@Injectable()
export class SecretUses {
  private readonly fingerprints = new OnceFor<KeyObject, string>();
  private readonly uses = new Map<string, SecretUse>();

  constructor(
    private readonly config: WebhookConfig,
    private readonly clock: Clock,
  ) {
    this.current();
  }

  used(secret: KeyObject, at: number): void {
    this.uses.set(this.fingerprintOf(secret), { ...this.useOf(secret), lastUsedAt: at });
  }

  /** The accepted secrets, the current one first. */
  current(): SecretUse[] {
    return this.config.secrets.current.map((secret) => this.useOf(secret));
  }

  private useOf(secret: KeyObject): SecretUse {
    const fingerprint = this.fingerprintOf(secret);
    const use = this.uses.get(fingerprint) ?? { fingerprint, knownSince: this.clock.now(), lastUsedAt: null };
    this.uses.set(fingerprint, use);
    return use;
  }

  private fingerprintOf(secret: KeyObject): string {
    return this.fingerprints.get(secret, () => createHash('sha256').update(secret.export()).digest('hex').slice(0, 8));
  }
}
