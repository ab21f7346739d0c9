import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Reader } from './reader.js';
import { Scrubber } from './scrubber.js';
import type { Store } from './store.js';
import { WriteLane } from './write-lane.js';

/** Provides both sides of an open store; the caller that opened it closes it. */
@Global()
@Module({})
export class DatabaseModule {
  static register(store: Store): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: WriteLane, useValue: store.lane },
        { provide: Reader, useValue: store.reader },
        { provide: Scrubber, useValue: store.scrubber },
      ],
      exports: [WriteLane, Reader, Scrubber],
    };
  }
}
