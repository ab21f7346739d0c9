import { InvalidValue } from './parsers.js';
import type { Parse } from './setting.js';

/** True for the host name of a loopback address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function anyWebUrl(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new InvalidValue('must be an http(s) URL');
  if (url.username || url.password) throw new InvalidValue('must not contain a user name or password');
  return url;
}

function webUrl(value: string): URL {
  const url = anyWebUrl(value);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new InvalidValue('must use https unless it is a loopback address');
  }
  return url;
}

/** An https address (or http on loopback) without query and fragment; returned without trailing slash. */
export const baseAddress: Parse<string> = (value) => {
  const url = webUrl(value);
  if (url.search || url.hash) throw new InvalidValue('must not contain a query or fragment');
  return url.href.replace(/\/+$/, '');
};

/** Like `baseAddress`, but http to any host: a collector is often beside the service and gets no secrets. */
export const collectorAddress: Parse<string> = (value) => {
  const url = anyWebUrl(value);
  if (url.search || url.hash) throw new InvalidValue('must not contain a query or fragment');
  return url.href.replace(/\/+$/, '');
};

/** Like `baseAddress`, but exactly as given: a trailing slash is part of an issuer (OpenID Connect Discovery 4.3). */
export const issuerAddress: Parse<string> = (value) => {
  baseAddress(value);
  return value;
};

/** The origin of an https address (or http on loopback). */
export const publicOrigin: Parse<string> = (value) => {
  const { origin, pathname, search, hash: fragment } = webUrl(value);
  if (pathname !== '/' || search || fragment) {
    throw new InvalidValue('must be an address without a path: the service needs a host of its own');
  }
  return origin;
};

export const webAddress: Parse<string> = (value) => webUrl(value).href;

export const webOrigin: Parse<string> = (value) => {
  const { origin } = webUrl(value);
  if (origin !== value) throw new InvalidValue('must be origins: scheme, host and port in lower case, without a path');
  return origin;
};
