import { Module } from '@nestjs/common';
import { ResultFetchRepository } from './result-fetch.repository.js';
import { ResultFetches } from './result-fetches.service.js';

/** The queue of results to read from upstream. */
@Module({ providers: [ResultFetchRepository, ResultFetches], exports: [ResultFetches] })
export class ResultFetchesModule {}
