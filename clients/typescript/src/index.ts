export * from './api.js';
export { type CallOptions, type ClientOptions, PulsekeepClient, type RecordOf } from './client.js';
export { PulsekeepError } from './error.js';
