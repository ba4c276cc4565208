"""The engine's own text, formulas.py, core.py and permutation.py, in JavaScript, for the page that has no server: word for
word.

Only what these use of Python is known here; anything else is refused by name, so that an edit of them that this
cannot follow fails at once, when the page is built, and not in a browser. Verbs on rows (`seek`, `add`, `norm2` …) are not
translated: browser/rows.js has them for two columns, as vector.py has them for numpy.

>>> print(translate("def twice(x):\\n    return x * 2 if -1 <= x <= 1 else None", {}))
export function twice(x) {
  return ((-1 <= x && x <= 1)) ? (x * 2) : null;
}
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping
from importlib.resources import files

from rosenblatt.engine import rules

PARTS = {
    "formulas.py": ("Formula", "sigmoid"),
    "core.py": ("Loop",),
    "permutation.py": ("shuffle", "draw"),
}  # the rest checks and hashes
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!=="}
BUILT_IN = {"min": "Math.min", "max": "Math.max", "abs": "Math.abs", "sqrt": "Math.sqrt", "exp": "Math.exp"}
CONSTANTS = {True: "true", False: "false", None: "null"}


class UntranslatableError(TypeError):
    """The core has a construct that the translation does not know."""


def engine_in_javascript() -> str:
    """`engine.js`: constants, formulas, loop and permutation, and how rules.py hands its parameters down."""
    sources = {name: files("rosenblatt.engine").joinpath(name).read_text(encoding="utf-8") for name in PARTS}
    trees = {name: ast.parse(source) for name, source in sources.items()}
    constants = [line for tree in trees.values() for node in tree.body for line in constants_of(node)]
    order = [argument.arg for argument in method(trees["formulas.py"], "Formula", "__init__").args.args[1:]]
    verbs = {name for tree in trees.values() for name in imported_names(tree, "rosenblatt.engine.vector")}
    body = "\n\n".join(translate(source, {"Formula": order}, PARTS[name]) for name, source in sources.items())
    schedules = ", ".join(f"{literal(name)}: {number}" for name, number in rules.SCHEDULES.items())
    used = sorted(name for name in {*verbs, "refuse_misfit"} if f"{name}(" in body)
    return "\n".join(
        [
            "// Translated from formulas.py, core.py, permutation.py and rules.py by playground/translation.py: edit those.",
            "",
            f'import {{ {", ".join(used)} }} from "./rows.js";',
            "",
            *constants,
            "",
            body,
            "",
            f"const SCHEDULES = {{ {schedules} }};",
            "const scheduled = (name) => SCHEDULES[name];",
            "",
            "// From a rule's name and parameters, by their names in the library's rules, to the loop's rule.",
            "export const RULES = {",
            *(rule_in_javascript(rule, {"Formula": order}) for rule in page_rules()),
            "};",
            "",
        ]
    )


def page_rules() -> list[type[rules.Rule]]:
    """The rules that learners of the page use, each once."""
    from rosenblatt.learning.learners import LEARNERS

    return list(dict.fromkeys(learner.rule for learner in LEARNERS.values()))


def rule_in_javascript(rule: type[rules.Rule], signatures: Mapping[str, list[str]]) -> str:
    """The `formula` of a rule, with its parameters as an object."""
    source = inspect.cleandoc("\n" + inspect.getsource(rule.formula))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    defaults = {name: one.default for name, one in rule.declared().items()}
    written = ", ".join(f"{name}: {literal(value)}" for name, value in defaults.items())
    lines = Translator(signatures, this="self").block(function.body, 2)
    return "\n".join([f'  "{rule.name}": (chosen) => {{', f"    const self = {{ {written}, ...chosen }};", *lines, "  },"])


def translate(source: str, signatures: Mapping[str, list[str]], names: Iterable[str] | None = None) -> str:
    """The functions and classes of these names, in their order; all, if none are named."""
    parts = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    translator = Translator(signatures)
    return "\n\n".join("\n".join(translator.definition(parts[name])) for name in names or parts)


def method(tree: ast.Module, kind: str, name: str) -> ast.FunctionDef:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == kind:
            return next(part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == name)
    raise UntranslatableError(f"{kind} has no {name}.")


def imported_names(tree: ast.Module, module: str) -> set[str]:
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == module)
    return {alias.name for node in imports for alias in node.names}


def constants_of(node: ast.stmt) -> list[str]:
    """Numbers with names: one, or several that `range` counts, within `if not cython.compiled`."""
    if isinstance(node, ast.If):
        return [line for part in node.body for line in constants_of(part)]
    if not isinstance(node, ast.Assign):
        return []
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name) and isinstance(value, ast.Constant):
        return [f"export const {target.id} = {literal(value.value)};"]
    if isinstance(target, ast.Tuple):  # A, B = range(2)
        return [f"export const {ast.unparse(name)} = {place};" for place, name in enumerate(target.elts)]
    return []


def literal(value: object) -> str:
    """A constant of Python as JavaScript writes it."""
    if value is True or value is False or value is None:
        return CONSTANTS[value]
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return repr(value)


class Translator:
    """Statements and expressions, one method a kind; `this` is what `self` becomes."""

    def __init__(self, signatures: Mapping[str, list[str]], this: str = "this"):
        self.signatures, self.this = signatures, this

    # Definitions

    def definition(self, node: ast.FunctionDef | ast.ClassDef) -> list[str]:
        if isinstance(node, ast.FunctionDef):
            head = f"{self.comment(node, 0)}export function {node.name}({self.parameters(node)}) {{"
            return [head, *self.function_body(node, 1), "}"]
        lines = [f"{self.comment(node, 0)}export class {node.name} {{"]
        for part in without_docstring(node.body):
            if not isinstance(part, ast.FunctionDef):
                raise UntranslatableError(f"Line {part.lineno}: {type(part).__name__} in a class.")
            name = "constructor" if part.name == "__init__" else part.name
            if len(lines) > 1:
                lines.append("")
            lines.append(f"{self.comment(part, 1)}  {name}({self.parameters(part, bound=True)}) {{")
            lines += [*self.function_body(part, 2), "  }"]
        return [*lines, "}"]

    def comment(self, node: ast.FunctionDef | ast.ClassDef, depth: int) -> str:
        """The docstring without its examples."""
        text = (ast.get_docstring(node) or "").partition(">>>")[0].strip()
        indent = "  " * depth
        return "".join(f"{indent}// {line}".rstrip() + "\n" for line in text.splitlines())

    def parameters(self, node: ast.FunctionDef, bound: bool = False) -> str:
        names = [argument.arg for argument in node.args.args][1 if bound else 0 :]
        defaults = [self.expression(value) for value in node.args.defaults]
        plain = len(names) - len(defaults)
        return ", ".join([*names[:plain], *(f"{n} = {d}" for n, d in zip(names[plain:], defaults, strict=True))])

    def function_body(self, node: ast.FunctionDef, depth: int) -> list[str]:
        given = {argument.arg for argument in node.args.args}
        local = sorted(names_assigned(node) - given)
        declared = [f"{'  ' * depth}let {', '.join(local)};"] if local else []
        return [*declared, *self.block(node.body, depth)]

    # Statements

    def block(self, body: Iterable[ast.stmt], depth: int) -> list[str]:
        lines = []
        for node in without_docstring(list(body)):
            lines += [("  " * depth + line) if line else line for line in self.statement(node)]
        return lines

    def statement(self, node: ast.stmt) -> list[str]:
        known = getattr(self, f"statement_{type(node).__name__.lower()}", None)
        if known is None:
            raise UntranslatableError(f"Line {node.lineno}: {type(node).__name__} is not known to the translation.")
        lines: list[str] = known(node)
        return lines

    def statement_assign(self, node: ast.Assign) -> list[str]:
        if isinstance(node.value, ast.Call) and ast.unparse(node.value) == "the_formulas()":
            return []  # its names are here by themselves
        targets = [self.expression(target) for target in node.targets]
        const = "const " if self.this == "self" and isinstance(node.targets[0], ast.Name | ast.Tuple) else ""
        return [f"{const}{' = '.join(targets)} = {self.expression(node.value)};"]

    def statement_augassign(self, node: ast.AugAssign) -> list[str]:
        return [f"{self.expression(node.target)} {OPERATORS[type(node.op)]}= {self.expression(node.value)};"]

    def statement_return(self, node: ast.Return) -> list[str]:
        return [f"return {self.expression(node.value)};" if node.value else "return;"]

    def statement_expr(self, node: ast.Expr) -> list[str]:
        return [f"{self.expression(node.value)};"]

    def statement_if(self, node: ast.If) -> list[str]:
        lines = [f"if ({self.expression(node.test)}) {{", *self.block(node.body, 1)]
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            first, *rest = self.statement(node.orelse[0])
            return [*lines, f"}} else {first}", *rest]
        return [*lines, *(["} else {", *self.block(node.orelse, 1)] if node.orelse else []), "}"]

    def statement_while(self, node: ast.While) -> list[str]:
        return [f"while ({self.expression(node.test)}) {{", *self.block(node.body, 1), "}"]

    def statement_for(self, node: ast.For) -> list[str]:
        """Over a range, forwards or back."""
        call = node.iter
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "range" and not node.orelse):
            raise UntranslatableError(f"Line {node.lineno}: `for` goes over a range, not {ast.unparse(call)}.")
        given = [self.expression(value) for value in call.args]
        first, end = (["0", *given] if len(given) == 1 else given)[:2]
        back = len(given) == 3 and given[2] == "-1"
        if len(given) == 3 and not back:
            raise UntranslatableError(f"Line {node.lineno}: a range goes by 1 or by -1.")
        name = self.expression(node.target)
        test = f"{name} > {end}; {name} -= 1" if back else f"{name} < {end}; {name} += 1"
        return [f"for ({name} = {first}; {test}) {{", *self.block(node.body, 1), "}"]

    def statement_with(self, node: ast.With) -> list[str]:
        if ast.unparse(node.items[0].context_expr) != "cython.nogil":
            raise UntranslatableError(f"Line {node.lineno}: `with` {ast.unparse(node.items[0].context_expr)}.")
        return self.block(node.body, 0)

    def statement_break(self, node: ast.Break) -> list[str]:
        return ["break;"]

    def statement_raise(self, node: ast.Raise) -> list[str]:
        assert isinstance(node.exc, ast.Call)
        return [f"throw new Error({self.expression(node.exc.args[0])});"]

    # Expressions

    def expression(self, node: ast.expr) -> str:
        known = getattr(self, f"expression_{type(node).__name__.lower()}", None)
        if known is None:
            raise UntranslatableError(f"Line {node.lineno}: {ast.unparse(node)} is not known to the translation.")
        text: str = known(node)
        return text

    def inner(self, node: ast.expr) -> str:
        """Within a larger expression: in brackets, if it is one of several parts."""
        text = self.expression(node)
        simple = ast.Name | ast.Constant | ast.Attribute | ast.Subscript | ast.Call
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, simple)
        return text if isinstance(node, simple) or negative else f"({text})"

    def expression_tuple(self, node: ast.Tuple) -> str:
        return f"[{', '.join(self.expression(part) for part in node.elts)}]"

    def expression_name(self, node: ast.Name) -> str:
        return self.this if node.id == "self" else node.id

    def expression_constant(self, node: ast.Constant) -> str:
        return literal(node.value)

    def expression_attribute(self, node: ast.Attribute) -> str:
        whole = ast.unparse(node)
        if whole.startswith("formulas."):
            return node.attr
        return {"math.inf": "Infinity"}.get(whole) or f"{self.inner(node.value)}.{node.attr}"

    def expression_subscript(self, node: ast.Subscript) -> str:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":  # of arrays of one dimension
            return f"{self.inner(node.value.value)}.length"
        return f"{self.inner(node.value)}[{self.expression(node.slice)}]"

    def expression_binop(self, node: ast.BinOp) -> str:
        left, right = self.inner(node.left), self.inner(node.right)
        if isinstance(node.op, ast.FloorDiv):
            return f"Math.floor({left} / {right})"
        if isinstance(node.op, ast.Pow) and left.startswith("-"):
            left = f"({left})"
        return f"{left} {OPERATORS[type(node.op)]} {right}"

    def expression_unaryop(self, node: ast.UnaryOp) -> str:
        sign = {ast.USub: "-", ast.Not: "!"}[type(node.op)]
        return f"{sign}{self.inner(node.operand)}"

    def expression_boolop(self, node: ast.BoolOp) -> str:
        return (" && " if isinstance(node.op, ast.And) else " || ").join(self.inner(value) for value in node.values)

    def expression_compare(self, node: ast.Compare) -> str:
        """A chain is a conjunction; what stands in its middle is evaluated twice, so it may call nothing."""
        parts = [node.left, *node.comparators]
        if len(node.ops) > 1 and any(isinstance(inner, ast.Call) for part in parts[1:-1] for inner in ast.walk(part)):
            raise UntranslatableError(f"Line {node.lineno}: a call within a chain of comparisons.")
        pairs = zip(parts, node.ops, parts[1:], strict=False)
        links = [self.comparison(left, operator, right) for left, operator, right in pairs]
        return links[0] if len(links) == 1 else f"({' && '.join(links)})"

    def comparison(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> str:
        if isinstance(operator, ast.Is | ast.IsNot):
            return f"{self.inner(left)} {'===' if isinstance(operator, ast.Is) else '!=='} {self.inner(right)}"
        if isinstance(operator, ast.In | ast.NotIn):
            assert isinstance(right, ast.Tuple)
            sign, joint = ("===", " || ") if isinstance(operator, ast.In) else ("!==", " && ")
            return f"({joint.join(f'{self.inner(left)} {sign} {self.inner(one)}' for one in right.elts)})"
        return f"{self.inner(left)} {COMPARISONS[type(operator)]} {self.inner(right)}"

    def expression_ifexp(self, node: ast.IfExp) -> str:
        return f"({self.expression(node.test)}) ? {self.inner(node.body)} : {self.inner(node.orelse)}"

    def expression_call(self, node: ast.Call) -> str:
        name = ast.unparse(node.func).removeprefix("formulas.")
        if name == "any":
            return self.some(node)
        if name == "float":  # every number of JavaScript is one
            return self.expression(node.args[0])
        given = [self.expression(argument) for argument in node.args]
        if node.keywords:
            order = self.signatures.get(name)
            if order is None:
                raise UntranslatableError(f"Line {node.lineno}: {name} with keywords.")
            named = {keyword.arg: self.expression(keyword.value) for keyword in node.keywords}
            last = max(order.index(str(key)) for key in named)
            given += [named.get(parameter, "undefined") for parameter in order[len(given) : last + 1]]
        function = BUILT_IN.get(name) or (f"new {name}" if name in self.signatures else self.expression(node.func))
        return f"{function}({', '.join(given)})"

    def some(self, node: ast.Call) -> str:
        """any(test for one in many)."""
        generator = node.args[0]
        assert isinstance(generator, ast.GeneratorExp)
        loop = generator.generators[0]
        return f"{self.inner(loop.iter)}.some(({ast.unparse(loop.target)}) => {self.expression(generator.elt)})"

    def expression_joinedstr(self, node: ast.JoinedStr) -> str:
        parts = [
            str(part.value) if isinstance(part, ast.Constant) else f"${{{self.expression(part.value)}}}"  # type: ignore[attr-defined]
            for part in node.values
        ]
        return f"`{''.join(parts)}`"


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return body[1:] if documented else body


def names_assigned(node: ast.FunctionDef) -> set[str]:
    """The local variables of a function."""
    stored = (part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    inside = {id(name) for part in ast.walk(node) if isinstance(part, ast.comprehension) for name in ast.walk(part.target)}
    return {part.id for part in stored if id(part) not in inside}
