import { type DynamicModule, Module } from '@nestjs/common';
import { Budget } from './budget.js';

/** The one budget of calls to upstream, for every room. */
@Module({})
export class UpstreamBudgetModule {
  static register(budget: Budget): DynamicModule {
    return {
      module: UpstreamBudgetModule,
      global: true,
      providers: [{ provide: Budget, useValue: budget }],
      exports: [Budget],
    };
  }
}
