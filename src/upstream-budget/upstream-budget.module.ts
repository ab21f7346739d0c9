import { type DynamicModule, Module } from '@nestjs/common';
import { CallBudget } from './budget.js';

/** The one budget of calls to upstream, for every room. */
@Module({})
export class UpstreamBudgetModule {
  static register(budget: CallBudget): DynamicModule {
    return {
      module: UpstreamBudgetModule,
      global: true,
      providers: [{ provide: CallBudget, useValue: budget }],
      exports: [CallBudget],
    };
  }
}
