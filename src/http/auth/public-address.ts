import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { HttpConfig } from '../../platform/config/config.js';
import { isLoopback } from '../../platform/config/web-addresses.js';
import { AppError } from '../../platform/platform/errors.js';

type Asked = Pick<FastifyRequest, 'protocol' | 'hostname' | 'host' | 'headers'>;

/** Any of these shows that a proxy stands in front, whose own address may be a loopback one. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'via'];

/**
 * The address under which browsers reach this service: PUBLIC_URL. Without it, only a trusted proxy that says https, or
 * a browser on this machine, can tell it; anyone may send any Host.
 */
@Injectable()
export class PublicAddress {
  constructor(private readonly config: HttpConfig) {}

  /** Null if it is unknown. Throws `invalid_request` for a host that is none. */
  originFor(request: Asked): string | null {
    if (this.config.publicUrl !== undefined) return this.config.publicUrl;
    const isPlain = isPlainLoopback(request);
    const given = `${isPlain ? 'http' : 'https'}://${request.host}`;
    if (!URL.canParse(given)) throw new AppError('invalid_request', 'The header host is not valid.');
    return isPlain || request.protocol === 'https' ? new URL(given).origin : null;
  }

  /** Browsers drop `Secure` cookies over plain HTTP, which is allowed only on this machine. */
  isSecureFor(request: Asked): boolean {
    const { publicUrl } = this.config;
    return publicUrl === undefined ? !isPlainLoopback(request) : publicUrl.startsWith('https:');
  }
}

function isPlainLoopback({ protocol, hostname, headers }: Asked): boolean {
  const isForwarded = forwarding.some((name) => headers[name] !== undefined);
  return protocol === 'http' && isLoopback(hostname) && !isForwarded;
}
