"""Relations' transformations of sources of non-uniformity: one more, one less, none at all, one written to."""

from wgsl_fuzz.strategies.edit.atoms import Atom, atoms, one, values
from wgsl_fuzz.strategies.edit.places import InsertionPoint, Part, PartRole, parts
from wgsl_fuzz.strategies.edit.subject import Subject, calls_functions, is_inert, may_be_literal
from wgsl_fuzz.strategies.edit.tree import with_statements
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.rewrite import Misfit, Nodes, rebuilt
from wgsl_fuzz.wgsl.types import Scalar, Type, is_constructible, written


def is_source(subject: Subject, place: InsertionPoint, part: Part) -> bool:
    """Whether a value may be non-uniform by itself.

    These are the inputs of an entry point, loads from memory that invocations may write, and built-in functions such
    as `atomicAdd`. An input that is uniform counts, too: no relation minds.
    """
    e, resolution = part.expression, subject.resolution
    if part.role is not PartRole.VALUE:
        return False
    if isinstance(e, w.Call):
        builtin = resolution.builtin(e)
        if builtin is not None and builtin.name == "textureLoad":
            return resolution.texture_access(e.arguments[0]) is Access.READ_WRITE
        return builtin is not None and bool(builtin.non_uniform_in)
    if isinstance(e, w.Identifier) and isinstance(resolution.declaration(e), w.Parameter):
        return resolution.entry_stage(place.function) is not None
    root = resolution.root(e)
    if isinstance(root, w.Variable):
        return resolution.space(root) is not Space.FUNCTION and resolution.access(root) is not Access.READ
    memory = None if root is None else resolution.pointer(root)
    return memory is not None and memory.space is not Space.FUNCTION and memory.access is not Access.READ


def without_sources(subject: Subject) -> w.Module:
    """Zeros instead of all sources: lets at the top of the function, since compilers refuse some literals."""
    found: dict[int, tuple[w.Function, list[w.Expression]]] = {}
    for place in subject.places.statements:
        if not isinstance(place.statement, w.Const):
            sources = [p.expression for p in parts(subject.resolution, place.statement) if is_source(subject, place, p)]
            found.setdefault(id(place.function), (place.function, []))[1].extend(sources)
    everywhere = [e for _, sources in found.values() for e in sources]
    if not everywhere or not all(is_constructible(subject.types.of(e)) for e in everywhere):
        raise Misfit
    return subject.changed({id(f.body): _with_zeros(subject, f, sources) for f, sources in found.values()})


def _with_zeros(subject: Subject, function: w.Function, sources: list[w.Expression]) -> Nodes:
    """A function's body with zeros instead of some expressions."""
    names: dict[Type, str] = {}
    changes: dict[int, Nodes] = {}
    for e in sources:
        type = subject.types.of(e)
        assert type is not None, "its type was asked for"
        if type not in names:
            names[type] = subject.fresh("zero")
        changes[id(e)] = w.Identifier(names[type])
    lets = [w.Let(name, None, w.Call(written(type), ())) for type, name in names.items()]
    return with_statements(rebuilt(function.body, changes), 0, 0, *lets)


def literal_for_source(subject: Subject) -> w.Module:
    """A literal instead of a source, or a let that is zero where a compiler may refuse a constant."""

    def wanted(place: InsertionPoint, part: Part) -> bool:
        e = part.expression
        if not is_source(subject, place, part) or not is_constructible(subject.types.of(e)):
            return False
        return not calls_functions(subject.resolution, e)

    place, part = subject.pick_part(wanted)
    type = subject.types.of(part.expression)
    literal = None if type is None else one(type)
    if literal is not None and may_be_literal(subject.resolution, part) and subject.source.percent(70):
        return subject.changed({id(part.expression): literal})
    f = place.function
    return subject.changed({id(f.body): _with_zeros(subject, f, [part.expression])})


def source_for_expression(subject: Subject) -> w.Module:
    """A source of non-uniformity, converted, instead of an expression that requires and changes nothing."""
    only_literals = subject.source.percent(70)

    def wanted(_: InsertionPoint, part: Part) -> bool:
        e = part.expression
        if part.role is not PartRole.VALUE or (only_literals and not isinstance(e, w.Literal)):
            return False
        type = subject.types.of(e)
        return isinstance(type, Scalar) and not type.is_abstract and is_inert(subject.resolution, e)

    place, part = subject.pick_part(wanted)
    type = subject.types.of(part.expression)
    assert type is not None, "its type was asked for"
    usable = [atom for atom in atoms(subject.places, place) if atom.source and isinstance(atom.type, Scalar)]
    usable = [atom for atom in usable if atom.type == type] or usable
    atom = subject.one_of(usable)
    new = atom.new() if atom.type == type else w.Call(written(type), (atom.new(),))
    return subject.changed({id(part.expression): new})


def stored(subject: Subject) -> w.Module:
    """`x = v;` anywhere, `x` in memory outside of functions, of which an analysis knows no values."""

    def targets(place: InsertionPoint) -> list[Atom]:
        return [atom for atom in atoms(subject.places, place) if atom.writable and atom.source]

    found = [(place, some) for place in subject.places.all if (some := targets(place))]
    place, some = subject.one_of(found)
    target = subject.source.pick(some)
    literal = one(target.type)
    choices = [atom.new() for atom in values(subject.places, place, target.type)]
    value = subject.source.pick(choices if literal is None else [*choices, literal])
    return subject.with_spliced(place, 0, w.Assign("=", target.new(), value))
