import { Global, Module } from '@nestjs/common';
import { SessionsRepository } from './sessions.repository.js';
import { Sessions } from './sessions.service.js';

@Global()
@Module({ providers: [SessionsRepository, Sessions], exports: [Sessions] })
export class SessionsModule {}
