import TenonCallable
import TenonJSON
