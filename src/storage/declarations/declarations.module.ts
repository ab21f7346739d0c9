import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Declarations, type RoomDeclarations } from './declarations.js';
import { FiguresReader } from './figures.reader.js';

@Global()
@Module({})
export class DeclarationsModule {
  static register(rooms: readonly RoomDeclarations[]): DynamicModule {
    const provider = { provide: Declarations, useFactory: (): Declarations => new Declarations(rooms) };
    return { module: DeclarationsModule, providers: [provider, FiguresReader], exports: [Declarations, FiguresReader] };
  }
}
