"""Shaders up to what a spelling may change: names, orders of declarations, temporaries, double negations."""

from dataclasses import replace

from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.tinywgsl.rewrite import with_blocks, with_expressions, with_names_as, with_operands


def normal_form(shader: ast.Shader) -> ast.Shader:
    """The representative of all shaders that are spellings of one another: equal for two of them.

    Names are given by first occurrence, and so are the orders of functions, arrays and locals; locals without a use
    are dropped; calls whose results are read nowhere assign to one local for each type; a literal index is a u32;
    `!!e` is `e`.
    """
    return ast.renumbered(_Normal(shader).shader())


class _Normal:
    def __init__(self, shader: ast.Shader) -> None:
        self.core = shader
        self.types = {f.name: {v.name: v.type for v in (*f.params, *f.locals)} for f in shader.all_functions}
        self.arrays: dict[str, str] = {}
        self.functions: dict[str, str] = {}
        self.locals: dict[str, str] = {}
        self.count = 0
        self.owner = ""
        self.read: set[str] = set()
        self.dead: dict[ast.Type, ast.Variable] = {}

    def shader(self) -> ast.Shader:
        by_name = {f.name: f for f in self.core.functions}
        ordered: list[ast.Function] = []

        def visit(f: ast.Function) -> None:
            for s in ast.walk(f.body):
                if isinstance(s, ast.Call) and s.function not in self.functions:
                    visit(by_name[s.function])
            if f.result is not None:
                self.functions[f.name] = f"f{len(self.functions)}"
                ordered.append(f)

        visit(self.core.main)
        for f in self.core.functions:
            if f.name not in self.functions:
                visit(f)
        functions = tuple(self.function(f) for f in ordered)
        main = self.function(self.core.main)
        for a in self.core.arrays:
            self.array(a.name)
        named = {self.arrays[a.name]: a for a in self.core.arrays}
        arrays = tuple(replace(named[name], name=name) for name in self.arrays.values())
        return ast.Shader(arrays, functions, main, self.core.workgroup_size)

    def function(self, f: ast.Function) -> ast.Function:
        types = self.types[f.name]
        self.owner = self.functions.get(f.name, "main")
        self.locals, self.dead = {}, {}
        self.read = {e.name for e in ast.expressions_in(f.body) if isinstance(e, ast.Local)}
        params = tuple(ast.Variable(self.local(v.name), v.type) for v in f.params)
        body = self.block(f.body)
        names = {v.name for v in f.params}
        locals_ = tuple(ast.Variable(new, types[old]) for old, new in self.locals.items() if old not in names)
        locals_ += tuple(sorted(self.dead.values(), key=lambda v: v.name))
        return ast.Function(self.owner, params, locals_, body, f.result)

    def local(self, name: str) -> str:
        if name not in self.locals:
            self.count += 1
            self.locals[name] = f"v{self.count}"
        return self.locals[name]

    def array(self, name: str) -> str:
        return self.arrays.setdefault(name, f"A{len(self.arrays)}")

    def block(self, ss: ast.Block) -> ast.Block:
        return tuple([self.statement(s) for s in ss])

    def statement(self, s: ast.Stmt) -> ast.Stmt:
        match s:
            case ast.SharedAssign(array, index, value):
                return ast.SharedAssign(self.array(array), self.index(index), self.expr(value))
            case ast.Call(id_, name, function, arguments):
                given = tuple([self.expr(e) for e in arguments])
                return ast.Call(id_, self.target(name, function), self.functions[function], given)
            case _:
                s = with_expressions(s, [self.expr(e) for e in ast.expressions_of(s)])
                s = with_names_as(s, ast.ASSIGNED, [self.local(name) for name in ast.names_in(s, ast.ASSIGNED)])
                return with_blocks(s, [self.block(ss) for ss in ast.blocks_of(s)])

    def target(self, name: str, function: str) -> str:
        """The local that takes a call's result."""
        if name in self.read:
            return self.local(name)
        result = next(f.result for f in self.core.functions if f.name == function)
        assert result is not None
        if result not in self.dead:
            self.dead[result] = ast.Variable(f"dead_{result.value}_{self.owner}", result)
        return self.dead[result].name

    def index(self, e: ast.Expr) -> ast.Expr:
        return ast.Literal(e.value, ast.Type.U32) if isinstance(e, ast.Literal) else self.expr(e)

    def expr(self, e: ast.Expr) -> ast.Expr:
        match e:
            case ast.Local(name, type_):
                return ast.Local(self.local(name), type_)
            case ast.SharedRead(array, index, type_):
                return ast.SharedRead(self.array(array), self.index(index), type_)
            case ast.Unary("!", ast.Unary("!", operand)):
                return self.expr(operand)
            case _:
                return with_operands(e, [self.expr(operand) for operand in ast.operands_of(e)])
